// Reads signals from a signalfd on the loop.
#include "io/loop/signal_watch.h"

#include <pthread.h>
#include <sys/epoll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <mutex>

#include "base/check.h"

namespace muster::io {

namespace {

sigset_t set_of(const std::vector<int>& signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  return set;
}

}  // namespace

void block_signals(const std::vector<int>& signals) {
  const sigset_t set = set_of(signals);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

SignalsBlocked::SignalsBlocked() {
  sigset_t all;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before_);
}

SignalsBlocked::~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

class SignalWatch::Delivery final : public FdHandler {
 public:
  Delivery(const sigset_t& signals, std::function<void(int)> on_signal)
      : fd_(::signalfd(-1, &signals, SFD_NONBLOCK | SFD_CLOEXEC)),
        on_signal_(std::move(on_signal)) {
    CHECK(fd_ >= 0, std::strerror(errno));
  }
  ~Delivery() override { ::close(fd_); }
  Delivery(const Delivery&) = delete;
  Delivery& operator=(const Delivery&) = delete;

  int fd() const { return fd_; }
  void end() {
    const std::lock_guard lock(mutex_);
    on_signal_ = nullptr;
  }
  void on_ready(std::uint32_t) override {
    signalfd_siginfo info{};
    while (::read(fd_, &info, sizeof info) == sizeof info) {
      const std::lock_guard lock(mutex_);
      if (on_signal_) on_signal_(static_cast<int>(info.ssi_signo));
    }
  }

 private:
  const int fd_;
  std::mutex mutex_;  // guards on_signal_: no signal is delivered once the watch is gone
  std::function<void(int)> on_signal_;
};

SignalWatch::SignalWatch(Loop& loop, const std::vector<int>& signals,
                         std::function<void(int)> on_signal)
    : loop_(loop) {
  block_signals(signals);
  delivery_ = std::make_shared<Delivery>(set_of(signals), std::move(on_signal));
  loop_.post([&loop, delivery = delivery_] { loop.watch(delivery->fd(), EPOLLIN, delivery); });
}

SignalWatch::~SignalWatch() {
  delivery_->end();
  loop_.post([&loop = loop_, delivery = delivery_] { loop.unwatch(delivery->fd()); });
}

}  // namespace muster::io
