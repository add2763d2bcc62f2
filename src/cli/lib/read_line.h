// Reads a line that somebody types. Does not use iostreams, whose set-up would slow down every
// command.
#pragma once

#include <optional>
#include <string>

namespace muster::cli {

std::optional<std::string>
read_line();  // a line of standard input without its newline; nothing at the end

}  // namespace muster::cli
