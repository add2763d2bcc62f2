// The signals that srun deals with, as a descriptor for its poll loops.
#pragma once

#include <optional>

namespace muster::cli {

class SignalQueue {
 public:
  SignalQueue();  // from here on they no longer interrupt
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;

  int fd() const { return fd_; }
  std::optional<int> take();  // the next one that has come

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
