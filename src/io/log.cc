// Each line is one write(2) to a file opened with O_APPEND, so that lines of several threads never
// mix, not even while the file is rotated. A process has one log, so its state is static.
#include "io/log.h"

#include <errno.h>
#include <fcntl.h>
#include <syslog.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstring>
#include <mutex>

#include "base/text/strings.h"

namespace muster::io {

namespace {

struct LevelName {
  LogLevel level;
  std::string_view name;
  std::string_view prefix;
  int severity;  // of syslog
};
constexpr std::array<LevelName, 10> kLevels{{
    {LogLevel::quiet, "quiet", "", LOG_CRIT},
    {LogLevel::fatal, "fatal", "fatal: ", LOG_CRIT},
    {LogLevel::error, "error", "error: ", LOG_ERR},
    {LogLevel::info, "info", "", LOG_INFO},
    {LogLevel::verbose, "verbose", "", LOG_INFO},
    {LogLevel::debug, "debug", "debug: ", LOG_DEBUG},
    {LogLevel::debug2, "debug2", "debug2: ", LOG_DEBUG},
    {LogLevel::debug3, "debug3", "debug3: ", LOG_DEBUG},
    {LogLevel::debug4, "debug4", "debug4: ", LOG_DEBUG},
    {LogLevel::debug5, "debug5", "debug5: ", LOG_DEBUG},
}};

struct Log {
  std::mutex mutex;  // guards program and path; the rest may be read at any time
  std::string program;
  std::string path;
  std::atomic<int> fd{-1};
  std::atomic<bool> to_stderr{true};
  std::atomic<LogLevel> file_level{LogLevel::quiet};
  std::atomic<LogLevel> stderr_level{LogLevel::error};
  std::atomic<LogLevel> syslog_level{LogLevel::quiet};
  std::atomic<LogStyle> style{};
  Syslog syslog;
};

// Never destroyed: threads may log while the process exits.
Log& the_log() {
  static Log& log = *new Log;
  return log;
}

std::string program_name() {
  Log& log = the_log();
  const std::lock_guard lock(log.mutex);
  return log.program.empty() ? program_invocation_short_name : log.program;
}

// What has no memory to be written.
constexpr std::string_view kNoMemory = "error: there is not enough memory for a line here\n";

// If the log cannot be written, there is nowhere to report that; the daemon goes on.
void write_line(int fd, std::string_view line) {
  ssize_t wrote;
  do wrote = ::write(fd, line.data(), line.size());
  while (wrote < 0 && errno == EINTR);
}

// Opens the file. If `target` is open already, the file takes over its descriptor, so that other
// threads can go on writing.
bool open_file(const std::string& path, std::atomic<int>& target) {
  // No symbolic links: if others can write to the directory, a link could lead to a file that only
  // we may write. (/dev/null and the like are not links.)
  const int fd =
      ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY | O_NOFOLLOW, 0644);
  if (fd < 0) return false;
  if (target < 0) {
    target = fd;
    return true;
  }
  const int moved = ::dup3(fd, target, O_CLOEXEC);
  ::close(fd);
  return moved >= 0;
}

void complain(const std::string& path) {
  const int why = errno;
  write_line(STDERR_FILENO, fmt::format("{}: error: cannot open the log file {}: {}\n",
                                        program_name(), path, std::strerror(why)));
}

}  // namespace

std::string_view log_level_name(LogLevel level) {
  return kLevels[static_cast<std::size_t>(level)].name;
}

bool parse_log_level(std::string_view text, LogLevel& level) {
  for (const LevelName& entry : kLevels)
    if (iequals(entry.name, text)) {
      level = entry.level;
      return true;
    }
  const auto number = parse_number<unsigned>(text);
  if (!number || *number >= kLevels.size()) return false;
  level = static_cast<LogLevel>(*number);
  return true;
}

void open_log(const LogOptions& options) {
  Log& log = the_log();
  {
    const std::lock_guard lock(log.mutex);
    log.program = options.program;
    log.path = options.file;
  }
  log.to_stderr = options.to_stderr;
  log.stderr_level = options.to_stderr ? options.stderr_level : LogLevel::quiet;
  log.syslog_level = options.syslog_level;
  log.syslog.set_socket(options.syslog_socket);
  log.style = options.style;
  if (options.file.empty()) {
    log.file_level = LogLevel::quiet;
    return;
  }
  if (!open_file(options.file, log.fd)) {
    complain(options.file);
    log.to_stderr = true;
    log.stderr_level = std::max(log.stderr_level.load(), LogLevel::error);
    return;
  }
  log.file_level = options.file_level;
}

void reopen_log() {
  Log& log = the_log();
  std::string path;
  {
    const std::lock_guard lock(log.mutex);
    path = log.path;
  }
  if (!path.empty() && !open_file(path, log.fd)) complain(path);
}

void set_log_level(LogLevel level) {
  Log& log = the_log();
  if (log.fd >= 0) log.file_level = level;
  if (log.to_stderr) log.stderr_level = level;
}

void adjust_log(const LogOptions& options) {
  set_log_level(options.file_level);
  the_log().syslog_level = options.syslog_level;
  the_log().style = options.style;
}

LogLevel syslog_level(std::string_view configured, const LogOptions& options) {
  LogLevel level = LogLevel::quiet;
  if (parse_log_level(configured, level)) return level;
  if (!options.file.empty()) return LogLevel::fatal;
  if (options.to_stderr) return LogLevel::quiet;
  return std::max(options.file_level, LogLevel::fatal);
}

LogLevel log_level() {
  const Log& log = the_log();
  return std::max({log.file_level.load(), log.stderr_level.load(), log.syslog_level.load()});
}

namespace {

template <class Text, class Json>
void write_whole_line(LogLevel level, const Text& text, const Json& json) {
  Log& log = the_log();
  const bool to_file = log.fd >= 0 && level <= log.file_level;
  const bool to_stderr = level <= log.stderr_level, to_syslog = level <= log.syslog_level;
  if (!to_file && !to_stderr && !to_syslog) return;
  const LevelName& name = kLevels[static_cast<std::size_t>(level)];
  const LogStyle style = log.style;
  const LogMoment now = std::chrono::system_clock::now();
  const std::string program = program_name();
  std::string line = style.json ? json_line(now, name.name, program, json())
                                : std::string(name.prefix) + one_line(text());
  if (to_stderr) write_line(STDERR_FILENO, style.json ? line : program + ": " + line);
  if (to_syslog)
    log.syslog.send(name.severity, program, std::string_view(line).substr(0, line.size() - 1));
  if (!to_file) return;
  write_line(log.fd, style.json ? line : fmt::format("[{}] {}", log_time(style.time, now), line));
}

// `text` and `json` make the two forms of what the line says.
template <class Text, class Json>
void write_everywhere(LogLevel level, const Text& text, const Json& json) {
  try {
    write_whole_line(level, text, json);
  } catch (const std::bad_alloc&) {
    Log& log = the_log();
    if (log.fd >= 0 && level <= log.file_level) write_line(log.fd, kNoMemory);
    if (level <= log.stderr_level) write_line(STDERR_FILENO, kNoMemory);
  }
}

}  // namespace

void write_log(LogLevel level, std::string_view text) {
  write_everywhere(level, [&] { return text; }, [&] { return json_message(text); });
}

void write_log(LogLevel level, const LogEntry& entry) {
  write_everywhere(level, [&] { return entry_text(entry); }, [&] { return json_members(entry); });
}

}  // namespace muster::io
