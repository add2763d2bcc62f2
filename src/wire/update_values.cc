// Parses values of updates.
#include "wire/update_values.h"

#include <algorithm>

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "model/reservation.h"

namespace muster::wire {

std::optional<bool> parse_yes_no(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (istarts_with("yes", text)) return true;
  if (istarts_with("no", text)) return false;
  if (auto number = parse_number<std::uint32_t>(text)) return *number != 0;
  return std::nullopt;
}

std::optional<bool> parse_flag(std::string_view text) {
  if (iequals(text, "YES")) return true;
  if (iequals(text, "NO")) return false;
  return std::nullopt;
}

Minutes TimeLimitChange::applied_to(Minutes limit) const {
  if (how == How::set) return by;
  if (limit == kUnlimited) return kUnlimited;
  return how == How::add ? limit + by : limit - by;
}

std::optional<TimeLimitChange> parse_time_limit_change(std::string_view text) {
  using How = TimeLimitChange::How;
  const How how = text.starts_with('+')   ? How::add
                  : text.starts_with('-') ? How::subtract
                                          : How::set;
  if (how != How::set) text.remove_prefix(1);
  const auto by = parse_time_limit(text);
  if (!by) return std::nullopt;
  return TimeLimitChange{how, *by};
}

std::optional<CountLimit> parse_count_limit(std::string_view text) {
  if (iequals(text, "UNLIMITED") || iequals(text, "INFINITE")) return CountLimit{};
  const auto most = parse_number<std::uint32_t>(text);
  return most ? std::optional(CountLimit{most}) : std::nullopt;
}

std::optional<CountRange> parse_count_range(std::string_view text) {
  const auto dash = text.find('-');
  const auto least = parse_number<std::uint32_t>(text.substr(0, dash));
  if (!least) return std::nullopt;
  if (dash == text.npos) return CountRange{*least, std::nullopt};
  const auto most = parse_number<std::uint32_t>(text.substr(dash + 1));
  return most ? std::optional(CountRange{*least, most}) : std::nullopt;
}

std::optional<PartitionState> parse_partition_state(std::string_view text) {
  constexpr std::pair<std::string_view, PartitionState> kStates[] = {
      {"up", PartitionState::up},
      {"down", PartitionState::down},
      {"drain", PartitionState::drain},
      {"inactive", PartitionState::inactive}};
  auto at = std::ranges::find_if(
      kStates, [&](const auto& state) { return istarts_with(state.first, text); });
  if (text.size() < 2 || at == std::end(kStates)) return std::nullopt;
  return at->second;
}

std::optional<std::int32_t> parse_site_factor(std::string_view text) {
  const auto factor = parse_number<std::int32_t>(text);
  const bool fits = factor && *factor <= kMostSiteFactor && *factor >= -kMostSiteFactor;
  return fits ? factor : std::nullopt;
}

std::optional<std::vector<std::uint32_t>> parse_reservation_counts(std::string_view text) {
  std::vector<std::uint32_t> counts;
  for (std::string_view item : split(text, ',')) {
    const bool thousands = item.ends_with('k') || item.ends_with('K');
    if (thousands) item.remove_suffix(1);
    const auto n = parse_number<std::uint32_t>(item);
    if (!n || (thousands && *n > 1'000'000)) return std::nullopt;
    counts.push_back(thousands ? *n * 1024 : *n);
  }
  return counts;
}

std::optional<std::vector<FlagChange>> parse_reservation_flags(std::string_view text) {
  std::vector<FlagChange> flags;
  for (std::string_view word : split(text, ',')) {
    FlagChange change{.word = trim(word)};
    if (change.word.starts_with('+') || change.word.starts_with('-')) {
      change.sign = change.word.front();
      change.word.remove_prefix(1);
    }
    if (change.word.empty()) continue;
    const auto flag = reservation_flag(change.word);
    if (!flag) return std::nullopt;
    change.flag = *flag;
    if (const auto equals = change.word.find('='); equals != word.npos) {
      change.span = parse_time_limit(change.word.substr(equals + 1));
      if (!change.span) return std::nullopt;
    }
    flags.push_back(change);
  }
  return flags;
}

}  // namespace muster::wire
