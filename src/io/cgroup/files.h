// Reading and writing the small files of a control group. A missing file is created, so that a tree
// of plain directories can stand in for the kernel's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::io {

Result<void> write_group(const std::string& dir, std::string_view file, std::string_view text);
std::string read_group(const std::string& dir, std::string_view file);  // empty where it is missing
bool has_group_file(const std::string& dir, std::string_view file);
// The number after a word: "oom_kill 3" -> 3.
std::optional<std::uint64_t> group_value(const std::string& dir, std::string_view file,
                                         std::string_view word);
std::vector<pid_t> group_processes(const std::string& dir);  // of the group and those below it
// Every folder of `path` below `mount`.
Result<void> make_group(const std::string& mount, std::string_view path);
// Removes `path` and its parents as long as they are empty, but not the first folder of it.
void remove_group(const std::string& mount, std::string path);

}  // namespace muster::io
