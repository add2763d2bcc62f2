// files: reads and writes the small files of control groups. A missing file is created, so that
// tests can use a tree of plain directories instead of the kernel's.
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
std::string read_group(const std::string& dir, std::string_view file);  // empty if missing
bool has_group_file(const std::string& dir, std::string_view file);
// The number after a word: "oom_kill 3" -> 3.
std::optional<std::uint64_t> group_value(const std::string& dir, std::string_view file,
                                         std::string_view word);
std::vector<pid_t> group_processes(const std::string& dir);  // of the group and those below it
// Makes every folder of `path` below `mount`.
Result<void> make_group(const std::string& mount, std::string_view path);
// Removes `path` and its parents while they are empty, but keeps the first folder.
void remove_group(const std::string& mount, std::string path);

}  // namespace muster::io
