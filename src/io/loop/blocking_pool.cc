// Runs blocking calls on threads.
#include "io/loop/blocking_pool.h"

#include <exception>
#include <new>

#include "io/loop/memory_wait.h"
#include "io/loop/signal_watch.h"

namespace muster::io {

bool BlockingPool::run(std::function<void()> work) {
  {
    const std::lock_guard lock(mutex_);
    if (is_stopped_ || waiting_.size() >= waiting_max_) return false;
    waiting_.push_back(std::move(work));
    if (static_cast<int>(waiting_.size()) > idle_ &&
        static_cast<int>(threads_.size()) < threads_max_) {
      const SignalsBlocked blocked;
      try {
        threads_.emplace_back([this] { this->work(); });
      } catch (const std::exception&) {  // no memory for it: the others have to do
        if (threads_.empty()) {
          waiting_.pop_back();
          throw std::bad_alloc();
        }
      }
    }
  }
  wake_.notify_one();
  return true;
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
    call_until_memory_suffices(next, [this] {
      const std::lock_guard again(mutex_);
      return is_stopped_;
    });
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

}  // namespace muster::io
