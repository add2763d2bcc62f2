// A program that takes commands line by line (scontrol, sacctmgr).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// Words at blanks; quotes of either kind keep them together.
std::vector<std::string> split_command(std::string_view line);

// Reads commands until the input ends or one of them says so: `run` is false after the last. "!!"
// is the one before.
void hold_dialogue(std::string_view program,
                   const std::function<bool(const std::vector<std::string>& words)>& run);

}  // namespace muster::cli
