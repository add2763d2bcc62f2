// The signals that srun and salloc handle, as a descriptor for their poll loops.
#pragma once

#include <optional>

#include "base/time.h"

namespace muster::cli {

class SignalQueue {
 public:
  enum class Children : bool { ignored, reported };
  // From now on these signals do not interrupt.
  explicit SignalQueue(Children children = Children::ignored);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const { return fd_; }
  std::optional<int> take();  // the next signal that has arrived

  // Waits for a signal or for bytes from `fd` (-1 = no descriptor). A negative time means no limit.
  struct Heard {
    bool timed_out = false, readable = false;
  };
  Heard wait_for(int fd, Millis timeout) const;

  // In a child, before it executes another program: restores the signals.
  static void restore();

 private:
  int fd_ = -1;
};

// The terminal in raw mode while this object exists (--pty).
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
