#include "slurmd/loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <utility>

#include "base/check.h"

namespace muster {

SlurmdLoop::SlurmdLoop()
    : epoll_(epoll_create1(EPOLL_CLOEXEC)), wakeup_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  CHECK(epoll_ >= 0 && wakeup_ >= 0);
  const bool is_watched = watch(wakeup_, [this] {
    std::uint64_t count = 0;
    if (read(wakeup_, &count, sizeof count) > 0) run_inbox();
  });
  CHECK(is_watched);
}

SlurmdLoop::~SlurmdLoop() {
  close(epoll_);
  close(wakeup_);
}

void SlurmdLoop::post(Work work) {
  {
    std::lock_guard lock(mutex_);
    inbox_.push_back(std::move(work));
    if (inbox_.size() > 1) return;  // the one before has woken it
  }
  const std::uint64_t one = 1;
  CHECK(write(wakeup_, &one, sizeof one) == sizeof one);
}

void SlurmdLoop::run_inbox() {
  std::vector<Work> batch;
  {
    std::lock_guard lock(mutex_);
    batch.swap(inbox_);
  }
  for (Work& work : batch) work();
}

bool SlurmdLoop::watch(int fd, Work on_readable) {
  epoll_event event{};
  event.events = EPOLLIN;
  event.data.fd = fd;
  if (epoll_ctl(epoll_, EPOLL_CTL_ADD, fd, &event) != 0) return false;
  watched_[fd] = std::move(on_readable);
  return true;
}

void SlurmdLoop::unwatch(int fd) {
  epoll_ctl(epoll_, EPOLL_CTL_DEL, fd, nullptr);
  watched_.erase(fd);
}

void SlurmdLoop::run_once(Millis timeout) {
  std::array<epoll_event, 64> events;
  const int wait_ms = static_cast<int>(std::clamp<std::int64_t>(timeout.count(), 0, 3'600'000));
  int count = epoll_wait(epoll_, events.data(), static_cast<int>(events.size()), wait_ms);
  for (int i = 0; i < count; ++i) {
    // An earlier handler of this round may have unwatched it.
    auto found = watched_.find(events[static_cast<std::size_t>(i)].data.fd);
    if (found == watched_.end()) continue;
    Work work = found->second;
    work();
  }
}

}  // namespace muster
