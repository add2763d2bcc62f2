// PollSet: the descriptors that a single-threaded program waits for in one round, each with a
// handler. It is filled anew for every round, which is cheap for a few descriptors; a daemon with
// thousands of them uses a Loop.
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

  // Waits once, then calls the handlers of ready descriptors in the order in which they were added.
  // A handler may be called although an earlier one has closed its descriptor. Returns the number
  // of ready descriptors: 0 = the time is over, -1 = a signal came first. A negative time means no
  // limit.
  int wait(int timeout_ms);

 private:
  std::vector<pollfd> polled_;
  std::vector<Handler> handlers_;
};

// Waits until the descriptor is ready, even if signals interrupt.
void wait_until_ready(int fd, short events);

}  // namespace muster::io
