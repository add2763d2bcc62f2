// Reads configuration files: turns text into lines of `Key=value` settings that know their file and
// line.
//
// One grammar for slurm.conf, gres.conf and cgroup.conf: keys are case-insensitive; a line may have
// several settings; `\` at the end of a line continues it; `#` starts a comment unless written
// `\#`; a value may be quoted; `Include FILE` reads another file, relative to the including one,
// with `%c` for the cluster's name. This layer never touches the OS: files come through a
// FileReader.
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::config {

using FileReader = std::function<Result<std::string>(const std::string& path)>;

struct Location {
  std::string file;
  int line = 0;              // 0 = no particular line
  std::string text() const;  // "slurm.conf:12"
};

struct Setting {
  std::string key, value;
};

struct Line {
  Location at;
  std::vector<Setting> settings;  // never empty
};

// Settings of one line; a comment at its end is skipped.
Result<std::vector<Setting>> read_settings(std::string_view line, const Location& at);
Result<std::vector<Line>> read_lines(const FileReader& read, const std::string& path);

// "file:line: what"
std::unexpected<Error> invalid(const Location& at, std::string_view what);
// "file:line: KEY=VALUE: expected WHAT"
std::unexpected<Error> bad_value(const Location& at, const Setting& setting,
                                 std::string_view expected);
// "file:line: KEY=VALUE: WHY"
std::unexpected<Error> wrong_value(const Location& at, const Setting& setting,
                                   std::string_view why);
// Enough for two levels of cluster files, one of site files, and some more; beyond it a file surely
// includes itself.
inline constexpr int kMaxIncludeDepth = 16;

}  // namespace muster::config
