// Helper: a program that serves us over a socket, one frame after the other: its length in four
// bytes, little endian, then the bytes. It is in a session of its own, and is killed with what it
// started when we have no more use for it or when it takes too long. Blocks: not for a loop's
// thread.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace muster::io {

using Deadline = std::chrono::steady_clock::time_point;

class Helper {
 public:
  // The program has the socket as descriptor 3; what it prints is lost.
  static Result<std::unique_ptr<Helper>> start(const std::string& path,
                                               const std::vector<std::string>& arguments);
  ~Helper();  // kills it
  Helper(const Helper&) = delete;
  Helper& operator=(const Helper&) = delete;

  // Errors: timed_out at the deadline; zero_bytes if the helper has ended.
  Result<void> send(std::string_view frame, Deadline deadline);
  Result<std::string> receive(std::size_t most_bytes, Deadline deadline);
  bool has_ended();         // also collects it
  void kill() const;        // on any thread, while another one waits for it
  std::string how_ended();  // "was killed by signal 11"; kills it if it has not

 private:
  Helper(pid_t pid, int fd) : pid_(pid), fd_(fd) {}
  Result<void> wait_until(short events, Deadline deadline) const;
  Result<void> read_exactly(char* to, std::size_t size, Deadline deadline) const;

  pid_t pid_;
  int fd_;
  int status_ = 0;
  bool is_collected_ = false;
};

// The helper's side, which has no deadlines. False: the other side has gone, or the frame is too
// large.
bool send_frame(int fd, std::string_view frame);
bool receive_frame(int fd, std::string& frame, std::size_t most_bytes);

}  // namespace muster::io
