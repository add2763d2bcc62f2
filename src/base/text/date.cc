// Parses dates of --begin, --deadline, sacct -S and similar options: a date, a time of day or both
// in either order, or "now" with an offset.
#include "base/text/date.h"

#include <array>
#include <ctime>

#include "base/text/strings.h"

namespace muster {

namespace {

struct TimeOfDay {
  int hour = 0, minute = 0, second = 0;
};
struct CalendarDay {
  int year = 0, month = 0, day = 0;  // month from 1
};

struct Word {
  std::string_view name;
  TimeOfDay time;
};
constexpr std::array<Word, 4> kTimesOfDay{
    {{"midnight", {0, 0, 0}}, {"noon", {12, 0, 0}}, {"fika", {15, 0, 0}}, {"teatime", {16, 0, 0}}}};

struct Unit {
  std::string_view name;
  std::int64_t seconds;
};
constexpr std::array<Unit, 5> kUnits{
    {{"second", 1}, {"minute", 60}, {"hour", 3600}, {"day", 86400}, {"week", 604800}}};

std::tm local(Time t) {
  std::time_t seconds = unix_seconds(t);
  std::tm broken{};
  localtime_r(&seconds, &broken);
  return broken;
}

// mktime turns a day that the month does not have into a day of the next month.
std::optional<Time> at(CalendarDay day, TimeOfDay time) {
  std::tm broken{};
  broken.tm_year = day.year - 1900;
  broken.tm_mon = day.month - 1;
  broken.tm_mday = day.day;
  broken.tm_hour = time.hour;
  broken.tm_min = time.minute;
  broken.tm_sec = time.second;
  broken.tm_isdst = -1;
  std::time_t seconds = mktime(&broken);
  if (seconds == -1) return std::nullopt;
  return from_unix_seconds(seconds);
}

// Reads the text piece by piece. Each take_* function consumes what it recognises, and returns
// whether it did.
class DateParser {
 public:
  DateParser(std::string_view text, Time now, DateOptions options)
      : text_(text), rest_(trim(text)), now_(now), today_(local(now)), options_(options) {}

  std::optional<Time> parse() {
    if (istarts_with(rest_, "uts")) return unix_time();
    if (istarts_with(rest_, "now")) return relative();
    if (rest_.empty()) return std::nullopt;
    while (!rest_.empty()) {
      if (!take_day() && !take_time()) return std::nullopt;
      skip_separator();
    }
    return resolve();
  }

  // After parse() has failed: the position of the fault.
  std::size_t fault() const {
    return static_cast<std::size_t>(rest_.data() - text_.data()) + in_rest_;
  }

 private:
  bool refuse_at(std::size_t position) {
    in_rest_ = position;
    return false;
  }

  std::optional<Time> unix_time() {
    auto seconds = parse_number<std::int64_t>(rest_.substr(3));
    if (!seconds || *seconds < 0 || *seconds > 253402300799) return std::nullopt;
    return from_unix_seconds(*seconds);
  }

  std::optional<Time> relative() {
    rest_ = trim(rest_.substr(3));
    if (rest_.empty()) return now_;
    if (rest_[0] != '+' && rest_[0] != '-') return std::nullopt;
    bool back = rest_[0] == '-';
    const std::string_view amount = trim(rest_.substr(1));
    auto end = amount.find_first_not_of("0123456789");
    auto count = parse_number<std::int64_t>(amount.substr(0, end));
    if (!count || *count > 1'000'000'000) return std::nullopt;
    rest_ = amount;
    std::string_view name = end == rest_.npos ? "seconds" : trim(rest_.substr(end));
    for (const Unit& unit : kUnits) {
      bool plural = name.size() == unit.name.size() + 1 && (name.back() | 32) == 's';
      if (!iequals(plural ? name.substr(0, unit.name.size()) : name, unit.name)) continue;
      Seconds offset{*count * unit.seconds};
      return back ? now_ - offset : now_ + offset;
    }
    return std::nullopt;
  }

  // Between a date and a time: blanks, 'T' or '-'.
  void skip_separator() {
    if (!rest_.empty() && (rest_[0] == 'T' || rest_[0] == '-')) {
      rest_.remove_prefix(1);
      return;
    }
    rest_ = trim(rest_);
  }

  std::size_t digits_at(std::size_t position) const {
    std::size_t n = 0;
    while (position + n < rest_.size() && rest_[position + n] >= '0' && rest_[position + n] <= '9')
      ++n;
    return n;
  }
  int number(std::size_t position, std::size_t count) const {
    return *parse_number<int>(rest_.substr(position, count));
  }
  char peek(std::size_t position) const { return position < rest_.size() ? rest_[position] : '\0'; }

  bool take_word(std::string_view word) {
    if (!istarts_with(rest_, word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }

  CalendarDay today(int plus_days = 0) const {
    return {today_.tm_year + 1900, today_.tm_mon + 1, today_.tm_mday + plus_days};
  }

  // Positions of the month and the day, for fault(): in "2020-13-01" the fault is at 5.
  struct Places {
    std::size_t month, day;
  };
  bool set_day(CalendarDay day, std::size_t consumed, Places places) {
    if (day.month < 1 || day.month > 12) return refuse_at(places.month);
    if (day.day < 1 || day.day > 31) return refuse_at(places.day);
    if (day.year == 0) {
      // A day without a year is the next such day, or the last one when looking back.
      day.year = today_.tm_year + 1900;
      bool passed = day.month < today_.tm_mon + 1 ||
                    (day.month == today_.tm_mon + 1 && day.day < today_.tm_mday);
      if (passed && !options_.past) ++day.year;
    }
    day_ = day;
    rest_.remove_prefix(consumed);
    return true;
  }

  bool take_day() {
    if (day_) return false;
    if (take_word("today")) return day_ = today(), true;
    if (take_word("tomorrow")) return day_ = today(1), true;
    std::size_t first = digits_at(0);
    if (first == 4 && peek(4) == '-' && digits_at(5) == 2 && peek(7) == '-' && digits_at(8) == 2)
      return set_day({number(0, 4), number(5, 2), number(8, 2)}, 10, {5, 8});
    if (first == 4) return set_day({0, number(0, 2), number(2, 2)}, 4, {0, 2});
    if (first == 6) return set_day({2000 + number(4, 2), number(0, 2), number(2, 2)}, 6, {0, 2});
    char mark = peek(first);
    if (first < 1 || first > 2 || (mark != '/' && mark != '.')) return false;
    std::size_t second = digits_at(first + 1);
    if (second < 1 || second > 2) return false;
    CalendarDay day{0, number(0, first), number(first + 1, second)};
    std::size_t used = first + 1 + second;
    if (peek(used) != mark) return set_day(day, used, {0, first + 1});
    if (digits_at(used + 1) != 2) return false;
    day.year = 2000 + number(used + 1, 2);
    return set_day(day, used + 3, {0, first + 1});
  }

  bool take_time() {
    if (time_) return false;
    for (const Word& word : kTimesOfDay)
      if (take_word(word.name)) return time_ = word.time, true;
    std::size_t first = digits_at(0);
    if (first < 1 || first > 2 || peek(first) != ':' || digits_at(first + 1) != 2) return false;
    TimeOfDay time{number(0, first), number(first + 1, 2), 0};
    std::size_t used = first + 3;
    if (peek(used) == ':') {
      if (digits_at(used + 1) != 2) return false;
      time.second = number(used + 1, 2);
      used += 3;
    }
    if (time.hour > 23) return false;
    if (time.minute > 59) return refuse_at(first + 1);
    if (time.second > 59) return refuse_at(first + 4);
    rest_ = trim(rest_.substr(used));
    return take_half_day(time) && (time_ = time, true);
  }

  bool take_half_day(TimeOfDay& time) {
    bool am = istarts_with(rest_, "am"), pm = istarts_with(rest_, "pm");
    if (!am && !pm) return true;
    if (time.hour < 1 || time.hour > 12) return false;
    time.hour = time.hour % 12 + (pm ? 12 : 0);
    rest_.remove_prefix(2);
    return true;
  }

  std::optional<Time> resolve() const {
    if (day_) return at(*day_, time_.value_or(TimeOfDay{}));
    auto moment = at(today(), *time_);
    if (!moment || options_.past || *moment >= now_) return moment;
    return at(today(1), *time_);
  }

  std::string_view text_, rest_;
  std::size_t in_rest_ = 0;
  Time now_;
  std::tm today_;
  DateOptions options_;
  std::optional<CalendarDay> day_;
  std::optional<TimeOfDay> time_;
};

}  // namespace

std::optional<Time> parse_date(std::string_view text, Time now, DateOptions options) {
  return DateParser(text, std::chrono::floor<Seconds>(now), options).parse();
}

std::size_t date_fault(std::string_view text, Time now, DateOptions options) {
  DateParser parser(text, std::chrono::floor<Seconds>(now), options);
  (void)parser.parse();
  return parser.fault();
}

std::string format_date(Time t) {
  if (!is_set(t)) return "Unknown";
  return format_date(t, "%Y-%m-%dT%H:%M:%S");
}

std::string format_date(Time t, std::string_view strftime_format) {
  std::tm broken = local(t);
  std::array<char, 256> buffer;
  std::size_t n =
      std::strftime(buffer.data(), buffer.size(), std::string(strftime_format).c_str(), &broken);
  return {buffer.data(), n};
}

}  // namespace muster
