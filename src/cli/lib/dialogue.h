// A program that takes commands line by line (scontrol, sacctmgr).
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace muster::cli {

// Reads commands until the input ends or one of them says so: `run` is false after the last. "!!"
// is the one before.
void hold_dialogue(std::string_view program,
                   const std::function<bool(const std::vector<std::string>& words)>& run);

}  // namespace muster::cli
