// Expands and compresses host lists. A name is a prefix and, if it ends in digits, a number. The
// number's zero padding always survives a round trip.
#include "base/text/hostlist.h"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster {

namespace {

// More digits than this stay in the prefix, so that every number fits.
constexpr std::size_t kMaxDigits = 18;

constexpr std::size_t kMaxParts = 16;  // per name: literal texts and bracket groups

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; }

struct HostName {
  std::string_view prefix;
  std::uint64_t number = 0;
  std::size_t digits = 0;  // 0 = the name does not end in a number
  bool padded = false;     // the number starts with a zero that counts
};

HostName split_name(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && is_digit(name[start - 1]) && name.size() - start < kMaxDigits) --start;
  HostName host{name.substr(0, start), 0, name.size() - start, false};
  if (host.digits > 0) {
    host.number = *parse_number<std::uint64_t>(name.substr(start));
    host.padded = host.digits > 1 && name[start] == '0';
  }
  return host;
}

struct Range {
  std::uint64_t first = 0, last = 0;
  std::size_t width = 0;  // of the zero padding
};

// Literal text, or a bracket group with its ranges.
struct Part {
  std::string_view text;
  std::vector<Range> ranges;
};

Result<Range> parse_range(std::string_view range) {
  auto dash = range.find('-');
  std::string_view first_text = trim(range.substr(0, dash));
  std::string_view last_text = dash == range.npos ? first_text : trim(range.substr(dash + 1));
  auto first = parse_number<std::uint64_t>(first_text);
  auto last = parse_number<std::uint64_t>(last_text);
  if (!first || !last || *last < *first) return fail(fmt::format("invalid range '{}'", range));
  if (*last - *first >= kMaxHosts) return fail(fmt::format("too many hosts in range '{}'", range));
  return Range{*first, *last, first_text.size()};
}

// Parses one name pattern without expanding it.
Result<std::vector<Part>> parse_parts(std::string_view pattern) {
  std::vector<Part> parts;
  while (!pattern.empty()) {
    auto open = pattern.find_first_of("[]");
    if (open != 0) parts.push_back({pattern.substr(0, open), {}});
    if (open == pattern.npos) break;
    auto close = pattern.find_first_of("[]", open + 1);
    if (pattern[open] == ']' || close == pattern.npos || pattern[close] == '[')
      return fail(fmt::format("unbalanced brackets in '{}'", pattern));
    Part group;
    for (std::string_view text : split(pattern.substr(open + 1, close - open - 1), ',')) {
      auto range = parse_range(text);
      if (!range) return std::unexpected(range.error());
      group.ranges.push_back(*range);
    }
    parts.push_back(std::move(group));
    pattern.remove_prefix(close + 1);
  }
  return parts;
}

// Passes the names of one pattern to the visitor, one by one.
class Expansion {
 public:
  Expansion(const std::vector<Part>& parts, const HostVisitor& visit)
      : parts_(parts), visit_(visit) {}

  // False if the visitor needs no more names.
  Result<bool> run(std::size_t part = 0) {
    if (part == parts_.size()) return visit_(name_);
    const std::size_t before = name_.size();
    if (parts_[part].ranges.empty()) {
      if (!append(parts_[part].text)) return too_long();
      return next(part, before);
    }
    for (const Range& range : parts_[part].ranges)
      for (std::uint64_t n = range.first; n <= range.last; ++n) {
        if (range.width > kMaxHostName || !append(fmt::format("{:0{}}", n, range.width)))
          return too_long();
        auto more = next(part, before);
        if (!more || !*more) return more;
      }
    return true;
  }

 private:
  bool append(std::string_view text) {
    if (name_.size() + text.size() > kMaxHostName) return false;
    name_ += text;
    return true;
  }
  Result<bool> next(std::size_t part, std::size_t before) {
    auto more = run(part + 1);
    name_.resize(before);
    return more;
  }
  static std::unexpected<Error> too_long() {
    return fail(fmt::format("a host name is longer than {} bytes", kMaxHostName));
  }

  const std::vector<Part>& parts_;
  const HostVisitor& visit_;
  std::string name_;
};

// Consecutive names with the same prefix, written as one: "n[1-3,07,9]".
class Run {
 public:
  void add(std::string_view name, const HostName& host) {
    if (ranges_.empty()) {
      prefix_ = host.prefix;
    } else if (extends(host)) {
      ranges_.back().last = name.substr(host.prefix.size());
      ranges_.back().last_number = host.number;
      return;
    }
    std::string_view digits = name.substr(host.prefix.size());
    ranges_.push_back({digits, digits, host.number});
  }
  bool accepts(const HostName& host) const {
    return !ranges_.empty() && host.digits > 0 && host.prefix == prefix_;
  }
  void flush(std::string& out) {
    if (ranges_.empty()) return;
    if (!out.empty()) out += ',';
    out += prefix_;
    bool brackets = ranges_.size() > 1 || ranges_[0].first != ranges_[0].last || prefix_.empty();
    if (brackets) out += '[';
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (i > 0) out += ',';
      out += ranges_[i].first;
      if (ranges_[i].first != ranges_[i].last) out.append("-").append(ranges_[i].last);
    }
    if (brackets) out += ']';
    ranges_.clear();
  }

 private:
  struct Range {
    std::string_view first, last;
    std::uint64_t last_number;
  };

  // "09-11" and "9-11" are ranges, but "9-010" is not: a range prints with the width of its first
  // number.
  bool extends(const HostName& host) const {
    const Range& range = ranges_.back();
    if (host.number != range.last_number + 1) return false;
    std::size_t natural = fmt::formatted_size("{}", host.number);
    return host.digits == std::max(range.first.size(), natural);
  }

  std::string_view prefix_;
  std::vector<Range> ranges_;
};

}  // namespace

Result<void> each_host(std::string_view expression, const HostVisitor& visit) {
  std::size_t start = 0;
  int depth = 0;
  for (std::size_t i = 0; i <= expression.size(); ++i) {
    bool at_end = i == expression.size();
    if (!at_end && expression[i] == '[') ++depth;
    if (!at_end && expression[i] == ']') --depth;
    if (!at_end && !(depth <= 0 && is_separator(expression[i]))) continue;
    std::string_view pattern = expression.substr(start, i - start);
    start = i + 1;
    if (pattern.empty()) continue;
    auto parts = parse_parts(pattern);
    if (!parts) return std::unexpected(parts.error());
    if (parts->size() > kMaxParts) return fail("too many brackets in a host name");
    auto more = Expansion(*parts, visit).run();
    if (!more) return std::unexpected(more.error());
    if (!*more) return {};
  }
  return {};
}

Result<std::vector<std::string>> expand_hostlist(std::string_view expression) {
  std::vector<std::string> names;
  std::size_t bytes = 0;
  bool fits = true;
  auto parsed = each_host(expression, [&](std::string_view name) {
    bytes += name.size();
    fits = names.size() < kMaxHosts && bytes <= kMaxHostBytes;
    if (fits) names.emplace_back(name);
    return fits;
  });
  if (!parsed) return std::unexpected(parsed.error());
  if (!fits) return fail(fmt::format("more than {} hosts, or {} bytes", kMaxHosts, kMaxHostBytes));
  return names;
}

std::string compress_hostlist(const std::vector<std::string>& names) {
  std::string out;
  Run run;
  for (const std::string& name : names) {
    if (name.empty()) continue;
    HostName host = split_name(name);
    if (!run.accepts(host)) run.flush(out);
    if (host.digits == 0) {
      if (!out.empty()) out += ',';
      out += name;
    } else {
      run.add(name, host);
    }
  }
  run.flush(out);
  return out;
}

std::string compress_hostlist_sorted(const std::vector<std::string>& names) {
  // Numbers with the same padding are grouped ("n[1-2,01-02]"). An unpadded number joins the padded
  // numbers of its own length: n09 and n10 form one range.
  std::map<std::string_view, std::set<std::size_t>> padded_widths;
  for (const std::string& name : names)
    if (HostName host = split_name(name); host.padded)
      padded_widths[host.prefix].insert(host.digits);
  auto width_class = [&](const HostName& host) -> std::size_t {
    auto widths = padded_widths.find(host.prefix);
    if (widths == padded_widths.end() || !widths->second.contains(host.digits)) return 0;
    return host.digits;
  };
  std::vector<std::string> sorted = names;
  std::sort(sorted.begin(), sorted.end(), [&](const std::string& a, const std::string& b) {
    HostName x = split_name(a), y = split_name(b);
    if (x.prefix != y.prefix || (x.digits == 0) != (y.digits == 0)) return host_less(a, b);
    std::size_t class_x = width_class(x), class_y = width_class(y);
    return class_x != class_y ? class_x < class_y : host_less(a, b);
  });
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return compress_hostlist(sorted);
}

bool host_less(std::string_view a, std::string_view b) {
  HostName x = split_name(a), y = split_name(b);
  if (x.prefix != y.prefix) return x.prefix < y.prefix;
  if ((x.digits == 0) != (y.digits == 0)) return x.digits == 0;
  if (x.number != y.number) return x.number < y.number;
  return x.digits < y.digits;
}

}  // namespace muster
