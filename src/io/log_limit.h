// Keeps peers from filling the disk through our log: so many lines in a while, then only their
// count.
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

 private:
  const int lines_;
  const Millis window_;
  std::mutex mutex_;  // guards what follows
  std::chrono::steady_clock::time_point window_start_{};
  int written_ = 0;
  std::uint64_t left_out_ = 0;
};

}  // namespace muster::io
