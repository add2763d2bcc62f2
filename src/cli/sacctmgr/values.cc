// Reads values as they are typed. The server reads them again: it decides.
#include "cli/sacctmgr/values.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/lib/errors.h"

namespace muster::cli {

namespace {

using Checked = std::expected<SiteValue, std::string>;

constexpr std::string_view kNone = "NONE";
constexpr std::uint32_t kLargestCount = UINT32_MAX - 2;

// What the reference calls some keys when it complains.
std::string_view complained_name(std::string_view key) {
  if (key == "Fairshare") return "FairShare";
  if (key == "MaxWallDurationPerJob") return "MaxWall";
  if (key == "GrpSubmitJobs") return "GrpSubmitJob";
  return key;
}

std::unexpected<std::string> invalid(const SiteKey& key, std::string_view value) {
  return std::unexpected(error_lines(
      "sacctmgr", fmt::format("Invalid value for {} ({})", complained_name(key.key), value)));
}

bool is_none(std::string_view value) {
  return value == "-1" || iequals(value, "none") || iequals(value, "unlimited") ||
         iequals(value, "infinite");
}

Checked check_count(const SiteKey& key, std::string_view value) {
  if (is_none(value)) return SiteValue{"-1", std::string(kNone)};
  const auto number = parse_number<std::uint32_t>(value);
  if (!number || *number > kLargestCount) return invalid(key, value);
  return SiteValue{std::to_string(*number), std::to_string(*number)};
}

Checked check_shares(const SiteKey& key, std::string_view value) {
  if (!value.empty() && istarts_with("parent", value)) return SiteValue{"parent", "parent"};
  return check_count(key, value);
}

Checked check_limit(const SiteKey& key, std::string_view word, std::string_view value) {
  if (is_none(value)) return SiteValue{"-1", std::string(kNone)};
  const auto limit = parse_time_limit(value);
  if (!limit)
    return std::unexpected(
        fmt::format(" Bad {} time format: {}\n", complained_name(key.key), word));
  if (*limit == kUnlimited) return SiteValue{"-1", std::string(kNone)};
  return SiteValue{std::string(value), limit_text(*limit)};
}

Checked check_real(const SiteKey& key, std::string_view value) {
  if (is_none(value)) return SiteValue{"-1", std::string(kNone)};
  const auto number = parse_real(value);
  if (!number || *number < 0) return invalid(key, value);
  return SiteValue{std::string(value), fmt::format("{:.4f}", *number)};
}

std::unexpected<std::string> no_amount(std::string_view name) {
  return std::unexpected(
      error_lines("sacctmgr", fmt::format("no number is given for TRES {}", name)));
}

// "cpu=4,mem=10G,gres/gpu=-1", sorted by name.
Checked check_amounts(const SiteKey& key, std::string_view value) {
  if (value == "-1") return SiteValue{"-1", std::string(kNone)};
  std::vector<std::pair<std::string, std::string>> shown;
  for (std::string_view part : split(value, ',')) {
    const auto equals = part.find('=');
    const std::string name = lower(trim(part.substr(0, equals)));
    if (name.empty() || equals == part.npos) return no_amount(name);
    const std::string_view amount = trim(part.substr(equals + 1));
    if (is_none(amount)) {
      shown.emplace_back(name, kNone);
      continue;
    }
    const auto number = name == "mem" ? parse_mib(amount) : parse_number<std::uint64_t>(amount);
    if (!number) return invalid(key, value);
    shown.emplace_back(name, amount_text(name, *number));
  }
  std::ranges::sort(shown);
  SiteValue checked{std::string(value), {}};
  for (const auto& [name, amount] : shown)
    fmt::format_to(std::back_inserter(checked.shown), "{}{}={}", checked.shown.empty() ? "" : ",",
                   name, amount);
  return checked;
}

Checked check_admin_level(const SiteKey& key, std::string_view value) {
  for (std::string_view level : {"None", "Operator", "Administrator"})
    if (!value.empty() && istarts_with(level, value))
      return SiteValue{std::string(level), std::string(level)};
  return invalid(key, value);
}

}  // namespace

std::expected<SiteValue, std::string> check_value(const SiteKey& key, std::string_view word,
                                                  std::string_view value) {
  switch (key.kind) {
    case ValueKind::count:
      return check_count(key, value);
    case ValueKind::shares:
      return check_shares(key, value);
    case ValueKind::limit:
      return check_limit(key, word, value);
    case ValueKind::real:
      return check_real(key, value);
    case ValueKind::amounts:
      return check_amounts(key, value);
    case ValueKind::resource:
      return check_amounts(key, fmt::format("{}={}", key.resource, value));
    case ValueKind::admin_level:
      return check_admin_level(key, value);
    case ValueKind::number:
      if (value == "-1") return SiteValue{"0", std::string(kNone)};
      return check_count(key, value);
    case ValueKind::upper:
      return SiteValue{lower(value), upper(value)};
    default:
      return SiteValue{std::string(value), std::string(value)};
  }
}

std::string limit_text(Minutes limit) { return format_elapsed(limit); }

std::string amount_text(std::string_view resource, std::uint64_t amount) {
  return resource == "mem" ? format_mib(amount) : std::to_string(amount);
}

std::string amounts_text(const TresAmounts& amounts) {
  std::string text;
  for (const auto& [name, amount] : amounts) {
    if (!text.empty()) text += ',';
    text.append(name.view()).append(1, '=').append(amount_text(name, amount));
  }
  return text;
}

}  // namespace muster::cli
