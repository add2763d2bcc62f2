// --multi-prog: a file that says which program each rank runs. A line has a set of ranks ("0",
// "1-3,5", "*" for the rest), a program and its arguments; %t is the rank, %o its position in the
// set.
#pragma once

#include <cstdint>
#include <expected>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

using ProgramByRank = std::map<std::uint32_t, std::vector<std::string>>;

// The error is the text to print, one or two lines.
std::expected<ProgramByRank, std::string> parse_multi_prog(std::string_view text,
                                                           std::string_view file,
                                                           std::uint32_t num_tasks);

}  // namespace muster::cli
