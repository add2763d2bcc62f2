// debug_flags: DebugFlags of slurm.conf and scontrol setdebugflags. A flag makes a daemon log more
// about one subject, at any log level.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

#include "io/log.h"

namespace muster::io {

// The flags that have an effect. All others are only kept by name and shown.
enum class DebugFlag : std::uint8_t { agent, protocol };

void set_debug_flags(std::string_view list);  // "Agent,Protocol": replaces all flags
void change_debug_flag(std::string_view name, bool on);
std::string debug_flags_text();  // "Agent,Protocol"; empty for none
bool is_set(DebugFlag flag);

// Writes "PROTOCOL: text" to the log. log_if does so only if the flag is set.
void write_flagged(DebugFlag flag, std::string_view text);
template <class... A>
void log_if(DebugFlag flag, fmt::format_string<A...> format, A&&... args) {
  if (is_set(flag)) write_flagged(flag, fmt::format(format, std::forward<A>(args)...));
}

}  // namespace muster::io
