// The io threads of a daemon (Loop, see server.h) and signals delivered on them (SignalWatch, see
// daemonize.h).
#include <pthread.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <algorithm>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/strand.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <cstring>
#include <future>

#include "base/check.h"
#include "io/daemonize.h"
#include "io/loop_impl.h"

namespace muster::io {

namespace asio = boost::asio;

namespace {

// Threads inherit the mask of their creator: signals are for the main thread or a SignalWatch.
class SignalsBlocked {
 public:
  SignalsBlocked() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before_);
  }
  ~SignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

}  // namespace

void BlockingPool::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_) return;
    waiting_.push_back(std::move(work));
    if (static_cast<int>(waiting_.size()) > idle_ &&
        static_cast<int>(threads_.size()) < threads_max_) {
      const SignalsBlocked blocked;
      threads_.emplace_back([this] { this->work(); });
    }
  }
  wake_.notify_one();
}

void BlockingPool::work() {
  std::unique_lock lock(mutex_);
  for (;;) {
    ++idle_;
    wake_.wait(lock, [this] { return is_stopped_ || !waiting_.empty(); });
    --idle_;
    if (is_stopped_) return;
    std::function<void()> next = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    next();
    next = nullptr;
    lock.lock();
  }
}

void BlockingPool::stop() {
  std::deque<std::function<void()>> dropped;
  {
    const std::lock_guard lock(mutex_);
    is_stopped_ = true;
    dropped.swap(waiting_);
  }
  wake_.notify_all();
  for (std::thread& thread : threads_)
    if (thread.joinable()) thread.join();
}

void Loop::Impl::start(int count, const std::function<void()>& body) {
  CHECK(count > 0);
  const SignalsBlocked blocked;
  for (int i = 0; i < count; ++i) {
    threads.emplace_back(body);
    pthread_setname_np(threads.back().native_handle(), "io");
  }
}

void Loop::Impl::run_and_drain() {
  // More may be ready all the time.
  constexpr int kAtOnce = 256;
  while (context.run_one() > 0) {
    for (int i = 1; i < kAtOnce && context.poll_one() > 0; ++i) {
    }
    on_drained();
    for (const auto& connection : std::exchange(unsent, {})) connection->flush();
  }
}

Loop::Loop(int threads) : impl_(std::make_unique<Impl>(threads)) {
  impl_->start(threads, [this] { impl_->context.run(); });
}

Loop::Loop(std::function<void()> on_drained) : impl_(std::make_unique<Impl>(1)) {
  impl_->on_drained = std::move(on_drained);
  std::promise<void> may_begin;  // not before it knows its own thread
  impl_->start(1, [this, go = may_begin.get_future().share()] {
    go.wait();
    impl_->run_and_drain();
  });
  may_begin.set_value();
}

Loop::~Loop() {
  stop();
  stop_blocking();
  for (std::thread& thread : impl_->threads) thread.join();
}

void Loop::post(std::function<void()> work) { asio::post(impl_->context, std::move(work)); }

void Loop::after(std::chrono::microseconds delay, std::function<void()> work) {
  auto timer = std::make_unique<asio::steady_timer>(impl_->context, delay);
  asio::steady_timer& waiting = *timer;
  waiting.async_wait(
      [timer = std::move(timer), work = std::move(work)](const boost::system::error_code& error) {
        if (!error) work();
      });
}

void Loop::run_blocking(std::function<void()> work) { impl_->blocking.run(std::move(work)); }

void Loop::stop_blocking() { impl_->blocking.stop(); }

void Loop::stop() { impl_->context.stop(); }

struct SignalWatch::Impl {
  Impl(Loop& loop, int fd, std::function<void(int)> callback)
      : descriptor(asio::make_strand(loop.impl().context), fd), on_signal(std::move(callback)) {}

  asio::posix::stream_descriptor descriptor;
  std::mutex mutex;  // guards on_signal, so that none is delivered after the watch is gone
  std::function<void(int)> on_signal;
};

namespace {

// Shared by the coroutine that waits and the watch that its owner holds.
template <class Impl>
asio::awaitable<void> deliver_signals(std::shared_ptr<Impl> impl) {
  for (;;) {
    boost::system::error_code error;
    co_await impl->descriptor.async_wait(asio::posix::stream_descriptor::wait_read,
                                         asio::redirect_error(asio::use_awaitable, error));
    if (error) co_return;
    signalfd_siginfo info{};
    while (::read(impl->descriptor.native_handle(), &info, sizeof info) == sizeof info) {
      const std::lock_guard lock(impl->mutex);
      if (!impl->on_signal) co_return;
      impl->on_signal(static_cast<int>(info.ssi_signo));
    }
  }
}

}  // namespace

SignalWatch::SignalWatch(Loop& loop, const std::vector<int>& signals,
                         std::function<void(int)> on_signal) {
  block_signals(signals);
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  const int fd = ::signalfd(-1, &set, SFD_NONBLOCK | SFD_CLOEXEC);
  CHECK(fd >= 0, std::strerror(errno));
  impl_ = std::make_shared<Impl>(loop, fd, std::move(on_signal));
  asio::co_spawn(impl_->descriptor.get_executor(), deliver_signals(impl_), asio::detached);
}

SignalWatch::~SignalWatch() {
  {
    const std::lock_guard lock(impl_->mutex);
    impl_->on_signal = nullptr;
  }
  // An Asio descriptor is not thread-safe; it is closed where it is used.
  asio::post(impl_->descriptor.get_executor(), [impl = impl_] {
    boost::system::error_code ignored;
    impl->descriptor.close(ignored);
  });
}

}  // namespace muster::io
