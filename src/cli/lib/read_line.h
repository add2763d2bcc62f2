// A line that somebody types. Without iostreams: their set-up would cost every command.
#pragma once

#include <optional>
#include <string>

namespace muster::cli {

std::optional<std::string>
read_line();  // of standard input, without its newline; nothing at its end

}  // namespace muster::cli
