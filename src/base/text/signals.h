// signals: names, numbers and descriptions of signals.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace muster {

// "USR1", "SIGUSR1", "usr1", "10"
std::optional<int> parse_signal(std::string_view text);
std::string signal_name(int number);         // "USR1"; the number if it has no name
std::string signal_description(int number);  // "Killed", "Terminated", "Segmentation fault"

}  // namespace muster
