// Parses TRESBillingWeights.
#include "model/node/billing_weights.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "base/text/strings.h"

namespace muster {

namespace {

// Resources that jobs are charged for; of devices and licenses any.
bool is_billed(std::string_view name) {
  constexpr std::string_view kNames[] = {"billing", "cpu",  "energy", "fs/disk",
                                         "mem",     "node", "pages",  "vmem"};
  return std::ranges::find(kNames, name) != std::end(kNames) || name.starts_with("gres/") ||
         name.starts_with("license/");
}

// How many of this unit are in a MiB.
std::optional<double> units_in_mib(std::string_view unit) {
  if (unit.empty() || iequals(unit, "M")) return 1;
  if (iequals(unit, "K")) return 1024;
  if (iequals(unit, "G")) return 1.0 / 1024;
  if (iequals(unit, "T")) return 1.0 / 1024 / 1024;
  return std::nullopt;
}

std::optional<BillingWeight> parse_weight(std::string_view part) {
  const auto equals = part.find('=');
  if (equals == part.npos) return std::nullopt;
  const std::string name = lower(trim(part.substr(0, equals)));
  const std::string_view text = part.substr(equals + 1);
  double weight = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, weight);
  if (error != std::errc{} || !std::isfinite(weight) || !is_billed(name)) return std::nullopt;
  const auto units = units_in_mib({rest, static_cast<std::size_t>(end - rest)});
  if (!units) return std::nullopt;
  return BillingWeight{name, name == "mem" ? weight * *units : weight};
}

}  // namespace

Parsed<BillingWeights> parse_billing_weights(std::string_view text) {
  BillingWeights weights;
  if (text.empty()) return weights;
  for (std::string_view part : split(text, ',')) {
    auto weight = parse_weight(part);
    if (!weight) return std::unexpected(ErrorCode::invalid_billing_weights);
    weights.push_back(std::move(*weight));
  }
  return weights;
}

}  // namespace muster
