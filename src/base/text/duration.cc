// Parses and formats time limits and run times: "minutes", "hours:minutes:seconds", "days-hours"
// and so on.
#include "base/text/duration.h"

#include <array>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster {

namespace {

// Far beyond any sensible limit, and far from overflowing a count of milliseconds.
constexpr std::int64_t kMaxField = 4'000'000'000;

bool is_unlimited(std::string_view text) {
  return iequals(text, "infinite") || iequals(text, "unlimited") || text == "-1";
}

struct Clock {
  std::int64_t days, hours, minutes, seconds;
};
Clock clock_of(Seconds span) {
  std::int64_t s = std::max<std::int64_t>(span.count(), 0);
  return {s / 86400, s / 3600 % 24, s / 60 % 60, s % 60};
}

std::optional<std::int64_t> parse_field(std::string_view text) {
  if (text.empty() || text[0] < '0' || text[0] > '9') return std::nullopt;
  auto value = parse_number<std::int64_t>(text);
  if (!value || *value > kMaxField) return std::nullopt;
  return value;
}

}  // namespace

std::optional<Seconds> parse_duration(std::string_view text) {
  if (is_unlimited(text)) return Seconds::max();
  std::int64_t days = 0;
  auto dash = text.find('-');
  bool has_days = dash != text.npos;
  if (has_days) {
    auto parsed = parse_field(text.substr(0, dash));
    if (!parsed) return std::nullopt;
    days = *parsed;
    text.remove_prefix(dash + 1);
    if (text.empty()) return Seconds{days * 86400};  // "1-" is a day
  }
  std::array<std::int64_t, 3> part{};
  std::size_t count = 0;
  for (std::string_view field : split(text, ':')) {
    auto parsed = parse_field(field);
    if (!parsed || count == part.size()) return std::nullopt;
    part[count++] = *parsed;
  }
  std::int64_t seconds = 0;
  if (has_days || count == 3)
    seconds = part[0] * 3600 + part[1] * 60 + part[2];
  else
    seconds = part[0] * 60 + part[1];
  return Seconds{days * 86400 + seconds};
}

std::optional<Minutes> parse_time_limit(std::string_view text) {
  if (is_unlimited(text)) return kUnlimited;
  auto seconds = parse_duration(text);
  if (!seconds) return std::nullopt;
  return std::chrono::ceil<Minutes>(*seconds);
}

std::string format_limit(Minutes limit) {
  return limit == kUnlimited ? "UNLIMITED" : format_elapsed(limit);
}

std::string format_elapsed(Seconds span) {
  Clock c = clock_of(span);
  if (c.days > 0) return fmt::format("{}-{:02}:{:02}:{:02}", c.days, c.hours, c.minutes, c.seconds);
  return fmt::format("{:02}:{:02}:{:02}", c.hours, c.minutes, c.seconds);
}

std::string format_elapsed_short(Seconds span) {
  Clock c = clock_of(span);
  if (c.days > 0) return fmt::format("{}-{:02}:{:02}:{:02}", c.days, c.hours, c.minutes, c.seconds);
  if (c.hours > 0) return fmt::format("{}:{:02}:{:02}", c.hours, c.minutes, c.seconds);
  std::string text = std::to_string(c.minutes);  // long lists have one in each row
  text += ':';
  text += static_cast<char>('0' + c.seconds / 10);
  text += static_cast<char>('0' + c.seconds % 10);
  return text;
}

}  // namespace muster
