// The texts that describe a listing: -o and -O formats, sort lists, widths, and the format of
// dates.
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/text/strings.h"
#include "base/time.h"

namespace muster::cli {

struct Layout {
  std::size_t width = 0;  // 0 = as wide as the value
  bool right = false;
  bool whole = false;  // a longer value is not cut
  bool operator==(const Layout&) const = default;
};

struct FormatItem {
  std::string key;  // a letter, a name or "all"; empty if the text ends too early
  Layout layout;
  std::string suffix;
  std::string as_written;  // "%.8t"
};
struct FormatText {
  std::string prefix;  // the text before the first field
  std::vector<FormatItem> items;
};

// "%[[.]size]type[suffix]..."
FormatText scan_letters(std::string_view text);
// "type[:[.][size][suffix]],..."; without a colon a field is 20 wide.
std::vector<FormatItem> scan_names(std::string_view text);

struct SortItem {
  char letter = 0;
  bool descending = false;
  bool as_configured = false;  // '#' before the letter
};
// Letters, each after an optional + or -, with or without commas.
std::vector<SortItem> scan_sort(std::string_view text);

// Replaces texts by numbers with the same order.
class TextRanks {
 public:
  void expect(std::size_t count) { added_.reserve(count); }
  void add(std::string_view text);
  std::vector<std::int64_t> take();  // one number per added text

 private:
  // Each different text, in order of appearance.
  std::map<std::string, std::size_t, std::less<>> places_;
  std::vector<std::size_t> added_;
  std::string last_;  // neighbouring rows often have the same text
};

void append_cell(std::string& out, std::string_view value, Layout layout);

// "a,b ,c" without empty parts.
std::vector<std::string> split_list(std::string_view text);

// How times are printed: SLURM_TIME_FORMAT.
class TimeStyle {
 public:
  TimeStyle() = default;
  TimeStyle(std::string_view setting, Time now);
  static TimeStyle from_environment(std::string_view program, Time now);
  // `unset` is printed for an unknown time: "N/A", "Unknown".
  void append(Time t, std::string_view unset, std::string& out) const;
  bool valid() const { return valid_; }

 private:
  std::string strftime_format_;  // empty = ISO
  bool relative_ = false, valid_ = true;
  Time now_;
};

// "Mon Nov 16 01:34:40 2026": the line above long listings.
std::string date_line(Time now);

std::string env_text(const char* name);  // empty if unset
Time clock_now();

// Writes everything at once: a listing of thousands of lines is one write. False if stdout is
// closed.
bool write_out(std::string_view text);

}  // namespace muster::cli
