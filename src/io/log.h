// log: the daemons' log. Lines such as "[2026-11-16T00:45:00.123] error: text" go to a file and, in
// the foreground, to stderr.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>
#include <string_view>

namespace muster::io {

enum class LogLevel : std::uint8_t {
  quiet,
  fatal,
  error,
  info,
  verbose,
  debug,
  debug2,
  debug3,
  debug4,
  debug5
};

std::string_view log_level_name(LogLevel level);
bool parse_log_level(std::string_view text, LogLevel& level);  // names or numbers

// Each process has one log, opened by its main function. Before that, errors go to stderr.
struct LogOptions {
  std::string program;  // "slurmctld"
  std::string file;     // empty = none
  LogLevel file_level = LogLevel::info;
  bool to_stderr = false;
  LogLevel stderr_level = LogLevel::info;
};
void open_log(const LogOptions& options);
void reopen_log();  // after rotation (SIGUSR2, SIGHUP)
void set_log_level(LogLevel level);
LogLevel log_level();
void write_log(LogLevel level, std::string_view text);

template <class... A>
void log(LogLevel level, fmt::format_string<A...> format, A&&... args) {
  if (level <= log_level()) write_log(level, fmt::format(format, std::forward<A>(args)...));
}
#define MUSTER_LOG_FUNCTION(name, level)                          \
  template <class... A>                                           \
  void log_##name(fmt::format_string<A...> format, A&&... args) { \
    log(LogLevel::level, format, std::forward<A>(args)...);       \
  }
MUSTER_LOG_FUNCTION(error, error)
MUSTER_LOG_FUNCTION(info, info)
MUSTER_LOG_FUNCTION(verbose, verbose)
MUSTER_LOG_FUNCTION(debug, debug)
MUSTER_LOG_FUNCTION(debug2, debug2)
#undef MUSTER_LOG_FUNCTION

}  // namespace muster::io
