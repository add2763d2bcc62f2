// Waits with poll(2), and calls the handlers of ready descriptors.
#include "io/loop/poll_set.h"

#include <cerrno>
#include <cstddef>
#include <utility>

namespace muster::io {

void PollSet::add(int fd, short events, Handler handler) {
  polled_.push_back({fd, events, 0});
  handlers_.push_back(std::move(handler));
}

int PollSet::wait(int timeout_ms) {
  const int ready = ::poll(polled_.data(), polled_.size(), timeout_ms);
  if (ready <= 0) return ready;
  for (std::size_t i = 0; i < polled_.size(); ++i)
    if (polled_[i].revents != 0) handlers_[i](polled_[i].revents);
  return ready;
}

void wait_until_ready(int fd, short events) {
  pollfd polled{fd, events, 0};
  while (::poll(&polled, 1, -1) < 0 && errno == EINTR) {
  }
}

}  // namespace muster::io
