// The descriptors to wait for in one turn of the supervisor's loop, each with what to do then.
#pragma once

#include <poll.h>

#include <functional>
#include <vector>

namespace muster::step {

class PollSet {
 public:
  using Handler = std::function<void(short happened)>;

  void add(int fd, short events, Handler handler) {
    polled_.push_back({fd, events, 0});
    handlers_.push_back(std::move(handler));
  }
  // Waits once and runs the handlers of what happened.
  void wait(int timeout_ms) {
    if (poll(polled_.data(), polled_.size(), timeout_ms) <= 0) return;
    for (std::size_t i = 0; i < polled_.size(); ++i)
      if (polled_[i].revents != 0) handlers_[i](polled_[i].revents);
  }

 private:
  std::vector<pollfd> polled_;
  std::vector<Handler> handlers_;
};

}  // namespace muster::step
