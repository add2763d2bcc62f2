// Each line is one write(2) to a file opened with O_APPEND, so that lines of several threads never
// mix, not even while the file is rotated. A process has one log, so its state is static.
#include "io/log.h"

#include <errno.h>
#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
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
};
constexpr std::array<LevelName, 10> kLevels{{
    {LogLevel::quiet, "quiet", ""},
    {LogLevel::fatal, "fatal", "fatal: "},
    {LogLevel::error, "error", "error: "},
    {LogLevel::info, "info", ""},
    {LogLevel::verbose, "verbose", ""},
    {LogLevel::debug, "debug", "debug: "},
    {LogLevel::debug2, "debug2", "debug2: "},
    {LogLevel::debug3, "debug3", "debug3: "},
    {LogLevel::debug4, "debug4", "debug4: "},
    {LogLevel::debug5, "debug5", "debug5: "},
}};

struct Log {
  std::mutex mutex;  // guards program and path; the rest may be read at any time
  std::string program;
  std::string path;
  std::atomic<int> fd{-1};
  std::atomic<bool> to_stderr{true};
  std::atomic<LogLevel> file_level{LogLevel::quiet};
  std::atomic<LogLevel> stderr_level{LogLevel::error};
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

// Escapes control characters, so that text from a peer cannot forge a line.
void append_one_line(std::string& line, std::string_view text) {
  for (const char c : text) {
    if (c == '\n')
      line += "\\n";
    else if (static_cast<unsigned char>(c) < 0x20 && c != '\t')
      fmt::format_to(std::back_inserter(line), "\\x{:02x}", static_cast<unsigned char>(c));
    else
      line += c;
  }
  line += '\n';
}

std::string timestamp() {
  const auto now = std::chrono::system_clock::now();
  const auto seconds = std::chrono::floor<std::chrono::seconds>(now);
  const auto milliseconds = std::chrono::floor<std::chrono::milliseconds>(now - seconds).count();
  const time_t time = std::chrono::system_clock::to_time_t(seconds);
  tm local{};
  localtime_r(&time, &local);
  return fmt::format("[{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}] ", local.tm_year + 1900,
                     local.tm_mon + 1, local.tm_mday, local.tm_hour, local.tm_min, local.tm_sec,
                     milliseconds);
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

LogLevel log_level() {
  return std::max(the_log().file_level.load(), the_log().stderr_level.load());
}

namespace {

void write_whole_line(LogLevel level, std::string_view text) {
  Log& log = the_log();
  const std::string_view prefix = kLevels[static_cast<std::size_t>(level)].prefix;
  if (log.fd >= 0 && level <= log.file_level) {
    std::string line = timestamp();
    line += prefix;
    append_one_line(line, text);
    write_line(log.fd, line);
  }
  if (level <= log.stderr_level) {
    std::string line = fmt::format("{}: {}", program_name(), prefix);
    append_one_line(line, text);
    write_line(STDERR_FILENO, line);
  }
}

}  // namespace

void write_log(LogLevel level, std::string_view text) {
  try {
    write_whole_line(level, text);
  } catch (const std::bad_alloc&) {
    Log& log = the_log();
    if (log.fd >= 0 && level <= log.file_level) write_line(log.fd, kNoMemory);
    if (level <= log.stderr_level) write_line(STDERR_FILENO, kNoMemory);
  }
}

}  // namespace muster::io
