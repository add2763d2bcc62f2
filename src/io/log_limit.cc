// Counts lines per time window.
#include "io/log_limit.h"

#include <utility>

namespace muster::io {

bool LogLimit::takes_another(LogLevel level) {
  std::uint64_t left_out = 0;
  {
    const std::lock_guard lock(mutex_);
    const auto now = std::chrono::steady_clock::now();
    if (window_start_ == std::chrono::steady_clock::time_point{} ||
        now - window_start_ >= window_) {
      window_start_ = now;
      written_ = 0;
      left_out = std::exchange(left_out_, 0);
    }
    if (written_ >= lines_) {
      ++left_out_;
      return false;
    }
    ++written_;
  }
  if (left_out > 0) log(level, "{} more lines like the next one were left out", left_out);
  return level <= log_level();
}

void LogLimit::write(LogLevel level, std::string_view text) {
  if (takes_another(level)) write_log(level, text);
}

void LogLimit::write(LogLevel level, const LogEntry& entry) {
  if (takes_another(level)) write_log(level, entry);
}

}  // namespace muster::io
