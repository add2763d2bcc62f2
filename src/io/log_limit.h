// LogLimit: keeps peers from filling the disk through our log. It writes a bounded number of lines
// per time window, and counts the others.
#pragma once

#include <chrono>
#include <cstdint>
#include <mutex>
#include <string_view>

#include "base/time.h"
#include "io/log.h"

namespace muster::io {

class LogLimit {
 public:
  LogLimit(int lines, Millis window) : lines_(lines), window_(window) {}
  void write(LogLevel level, std::string_view text);
  void write(LogLevel level, const LogEntry& entry);

 private:
  bool takes_another(LogLevel level);

  const int lines_;
  const Millis window_;
  std::mutex mutex_;  // guards the members below
  std::chrono::steady_clock::time_point window_start_{};
  int written_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace muster::io
