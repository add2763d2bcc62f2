// PollSet: what a program of one thread waits for in one round, each descriptor with what to do
// when it is ready. It is filled anew for every round, which costs little for a few descriptors; a
// daemon with thousands of them has a Loop.
#pragma once

#include <poll.h>

#include <functional>
#include <vector>

namespace muster::io {

class PollSet {
 public:
  using Handler = std::function<void(short happened)>;  // POLLIN, POLLOUT, POLLHUP, ...

  void add(int fd, short events, Handler handler);
  bool empty() const { return polled_.empty(); }

  // Waits once, then calls the handlers of what happened in the order in which they were added. A
  // handler may be called although an earlier one has closed its descriptor. Returns how many were
  // ready: 0 = the time is over, -1 = a signal came first. A negative time means no limit.
  int wait(int timeout_ms);

 private:
  std::vector<pollfd> polled_;
  std::vector<Handler> handlers_;
};

// Waits for one descriptor until it is ready, however often a signal interrupts.
void wait_until_ready(int fd, short events);

}  // namespace muster::io
