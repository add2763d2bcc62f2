// SignalWatch: delivers signals of a daemon to a callback.
#pragma once

#include <signal.h>

#include <functional>
#include <memory>
#include <vector>

#include "io/loop/loop.h"

namespace muster::io {

// On this thread and on those that it starts later.
void block_signals(const std::vector<int>& signals);

// Threads inherit the mask of their creator. This keeps signals for the main thread or a
// SignalWatch.
class SignalsBlocked {
 public:
  SignalsBlocked();
  ~SignalsBlocked();
  SignalsBlocked(const SignalsBlocked&) = delete;
  SignalsBlocked& operator=(const SignalsBlocked&) = delete;

 private:
  sigset_t before_;
};

// Delivers signals to a callback on the loop, one at a time. It blocks them on the calling thread;
// threads that were started before and do not block them would still take the default action.
class SignalWatch {
 public:
  SignalWatch(Loop& loop, const std::vector<int>& signals, std::function<void(int)> on_signal);
  SignalWatch(const SignalWatch&) = delete;
  SignalWatch& operator=(const SignalWatch&) = delete;
  ~SignalWatch();  // not from within the callback

 private:
  class Delivery;
  Loop& loop_;
  std::shared_ptr<Delivery> delivery_;  // shared with the loop
};

}  // namespace muster::io
