// Reads formats and sort lists, and writes cells and dates.
#include "cli/tables/table_format.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>

#include <fmt/format.h>

#include "base/text/date.h"
#include "cli/lib/errors.h"
#include "cli/tables/colour.h"

namespace muster::cli {

namespace {

constexpr std::size_t kDefaultNamedWidth = 20;
constexpr std::size_t kMaxWidth = 100'000;  // "%999999999i" must not exhaust memory

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Removes "[.]digits" from the front of the text.
Layout take_layout(std::string_view& text) {
  Layout layout;
  if (text.starts_with('.')) {
    layout.right = true;
    text.remove_prefix(1);
  }
  while (!text.empty() && is_digit(text[0])) {
    layout.width = std::min(layout.width * 10 + static_cast<std::size_t>(text[0] - '0'), kMaxWidth);
    text.remove_prefix(1);
  }
  return layout;
}

std::tm local_time(Time t) {
  std::time_t seconds = unix_seconds(t);
  std::tm broken{};
  localtime_r(&seconds, &broken);
  return broken;
}

std::string strftime_text(const std::tm& broken, const char* format) {
  char buffer[256];
  std::size_t size = std::strftime(buffer, sizeof buffer, format, &broken);
  return {buffer, size};
}

// Times of today, names of days nearby, otherwise dates.
std::string relative_date(Time t, Time now) {
  std::tm then = local_time(t), today = local_time(now);
  if (then.tm_year != today.tm_year)
    return fmt::format("{} {}", then.tm_mday, strftime_text(then, "%b %Y"));
  int days = then.tm_yday - today.tm_yday;
  if (days == 0) return strftime_text(then, "%H:%M:%S");
  if (days == 1) return "Tomorr " + strftime_text(then, "%H:%M");
  if (days == -1) return "Ystday " + strftime_text(then, "%H:%M");
  if (days > 1 && days < 7) return strftime_text(then, "%a %H:%M");
  return fmt::format("{} {}", then.tm_mday, strftime_text(then, "%b %H:%M"));
}

}  // namespace

FormatText scan_letters(std::string_view text) {
  FormatText result;
  auto first = text.find('%');
  result.prefix = text.substr(0, first);
  text.remove_prefix(std::min(first, text.size()));
  while (text.starts_with('%')) {
    std::string_view start = text;
    text.remove_prefix(1);
    FormatItem item;
    item.layout = take_layout(text);
    if (text.starts_with("all")) {
      item.key = "all";
    } else if (!text.empty() && text[0] != '%') {
      item.key = text.substr(0, 1);
    }
    text.remove_prefix(item.key.size());
    item.as_written = start.substr(0, start.size() - text.size());
    // "%%" is a percent sign.
    if (item.key.empty() && text.starts_with('%') && item.as_written == "%") {
      text.remove_prefix(1);
      std::string literal = "%" + std::string(text.substr(0, text.find('%')));
      (result.items.empty() ? result.prefix : result.items.back().suffix) += literal;
      text.remove_prefix(literal.size() - 1);
      continue;
    }
    auto next = text.find('%');
    item.suffix = text.substr(0, next);
    text.remove_prefix(item.suffix.size());
    result.items.push_back(std::move(item));
  }
  return result;
}

std::vector<FormatItem> scan_names(std::string_view text) {
  std::vector<FormatItem> items;
  if (text.empty()) return items;
  for (std::string_view part : split(text, ',')) {
    FormatItem item;
    auto colon = part.find(':');
    item.key = part.substr(0, colon);
    if (colon == part.npos) {
      item.layout.width = kDefaultNamedWidth;
    } else {
      std::string_view rest = part.substr(colon + 1);
      item.layout = take_layout(rest);
      item.suffix = rest;
    }
    if (!item.key.empty() || !item.suffix.empty()) items.push_back(std::move(item));
  }
  return items;
}

std::vector<SortItem> scan_sort(std::string_view text) {
  std::vector<SortItem> items;
  SortItem next;
  for (std::string_view part : split(text, ',')) {
    if (iequals(part, "cluster")) continue;  // there is only one cluster
    for (char c : part) {
      if (c == '+' || c == '-') {
        next.descending = c == '-';
      } else if (c == '#') {
        next.as_configured = true;
      } else {
        next.letter = c;
        items.push_back(next);
        next = {};
      }
    }
  }
  return items;
}

void TextRanks::add(std::string_view text) {
  if (text == last_ && !added_.empty()) {
    added_.push_back(added_.back());
    return;
  }
  last_ = text;
  auto found = places_.find(text);
  if (found == places_.end()) found = places_.emplace(text, places_.size()).first;
  added_.push_back(found->second);
}

std::vector<std::int64_t> TextRanks::take() {
  std::vector<std::int64_t> rank_of(places_.size());
  std::int64_t rank = 0;
  for (const auto& [text, place] : places_) rank_of[place] = rank++;
  std::vector<std::int64_t> ranks;
  ranks.reserve(added_.size());
  for (std::size_t place : added_) ranks.push_back(rank_of[place]);
  return ranks;
}

void append_cell(std::string& out, std::string_view value, Layout layout) {
  if (layout.width == 0) {
    out += value;
    return;
  }
  if (!layout.whole) value = value.substr(0, layout.width);
  std::size_t padding = layout.width > value.size() ? layout.width - value.size() : 0;
  if (layout.right) out.append(padding, ' ');
  out += value;
  if (!layout.right) out.append(padding, ' ');
}

std::vector<std::string> split_list(std::string_view text) {
  std::vector<std::string> parts;
  for (std::string_view part : split(text, ','))
    if (part = trim(part); !part.empty()) parts.emplace_back(part);
  return parts;
}

TimeStyle::TimeStyle(std::string_view setting, Time now) : now_(now) {
  if (setting.empty() || setting == "standard") return;
  relative_ = setting == "relative";
  valid_ = relative_ || setting.find('%') != setting.npos;
  if (valid_ && !relative_) strftime_format_ = setting;
}

TimeStyle TimeStyle::from_environment(std::string_view program, Time now) {
  std::string setting = env_text("SLURM_TIME_FORMAT");
  TimeStyle style(setting, now);
  if (!style.valid())
    print_error(program, fmt::format("invalid SLURM_TIME_FORMAT = '{}'", setting));
  return style;
}

void TimeStyle::append(Time t, std::string_view unset, std::string& out) const {
  if (!is_set(t))
    out += unset;
  else if (relative_)
    out += relative_date(t, now_);
  else if (!strftime_format_.empty())
    out += format_date(t, strftime_format_);
  else
    out += format_date(t);
}

std::string date_line(Time now) {
  return strftime_text(local_time(now), "%a %b %e %H:%M:%S %Y") + "\n";
}

std::string env_text(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

Time clock_now() { return std::chrono::floor<Millis>(std::chrono::system_clock::now()); }

bool write_out(std::string_view text) {
  if (uses_colours()) return write_painted(text);
  return std::fwrite(text.data(), 1, text.size(), stdout) == text.size() &&
         std::fflush(stdout) == 0;
}

}  // namespace muster::cli
