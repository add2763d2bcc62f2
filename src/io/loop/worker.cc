// Runs posted work in order, on one thread.
#include "io/loop/worker.h"

#include <pthread.h>

#include <utility>

#include "io/loop/memory_wait.h"

namespace muster::io {

Worker::Worker(const char* name) : thread_([this] { serve(); }) {
  pthread_setname_np(thread_.native_handle(), name);
}

Worker::~Worker() { stop(); }

void Worker::post(std::function<void()> work) {
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    queue_.push_back(std::move(work));
  }
  wake_.notify_one();
}

void Worker::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run(const std::function<void()>& work) {
  call_until_memory_suffices(work, [this] {
    const std::lock_guard lock(mutex_);
    return stopping_;
  });
}

void Worker::serve() {
  std::deque<std::function<void()>> batch;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
    if (queue_.empty()) return;
    batch.swap(queue_);
    lock.unlock();
    for (auto& work : batch) run(work);
    batch.clear();
    lock.lock();
  }
}

}  // namespace muster::io
