// The signals that srun and salloc deal with, as a descriptor for their poll loops.
#pragma once

#include <optional>

#include "base/time.h"

namespace muster::cli {

class SignalQueue {
 public:
  enum class Children : bool { ignored, reported };
  // From here on they no longer interrupt.
  explicit SignalQueue(Children children = Children::ignored);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const { return fd_; }
  std::optional<int> take();  // the next one that has come

  // Waits for a signal or for bytes from `fd` (-1 = for none); a negative time means no limit.
  struct Heard {
    bool timed_out = false, readable = false;
  };
  Heard wait_for(int fd, Millis timeout) const;

  // In a child, before it becomes another program: signals as they were found.
  static void restore();

 private:
  int fd_ = -1;
};

// The caller's terminal, handed through byte by byte while this lives (--pty).
class RawTerminal {
 public:
  RawTerminal();
  ~RawTerminal();
  RawTerminal(const RawTerminal&) = delete;
  RawTerminal& operator=(const RawTerminal&) = delete;

 private:
  struct Saved;
  Saved* saved_ = nullptr;
};

}  // namespace muster::cli
