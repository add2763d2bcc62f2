// Checks and sets the limits of requests that slurm.conf gives.
#include "config/limit_words.h"

#include <algorithm>
#include <span>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::config {

namespace {

const LimitName* find_limit(std::span<const LimitName> limits, std::string_view name) {
  auto found =
      std::ranges::find_if(limits, [&](const LimitName& l) { return iequals(l.name, name); });
  return found == limits.end() ? nullptr : &*found;
}

Result<void> check(const Location& at, const Setting& setting, const LimitName& limit,
                   std::string_view text) {
  auto number = parse_number<std::uint32_t>(text);
  if (number && *number >= 1 && *number <= limit.most) return {};
  return bad_value(at, setting, fmt::format("{}=a number from 1 to {}", limit.name, limit.most));
}

}  // namespace

Result<void> check_limit_words(const Location& at, const Setting& setting) {
  if (const LimitName* key = find_limit(kOtherLimits, setting.key))
    return check(at, setting, *key, setting.value);
  for (std::string_view part : split(setting.value, ',')) {
    part = trim(part);
    const auto equals = std::min(part.find('='), part.size());
    const LimitName* word = find_limit(kLimitWords, trim(part.substr(0, equals)));
    if (!word) continue;
    const std::string_view text = equals < part.size() ? trim(part.substr(equals + 1)) : "";
    if (auto ok = check(at, {setting.key, std::string(part)}, *word, text); !ok) return ok;
  }
  return {};
}

void set_request_limits(const SlurmConf& slurm, RequestLimits& limits) {
  for (const LimitName& word : kLimitWords)
    if (auto text = slurm.option("SlurmctldParameters", word.name))
      limits.*word.limit = parse_number<std::uint32_t>(*text).value_or(limits.*word.limit);
}

}  // namespace muster::config
