#include "io/worker.h"

#include <pthread.h>

#include <utility>

namespace muster::io {

Worker::Worker(const char* name, std::function<void()> on_idle)
    : on_idle_(std::move(on_idle)), thread_([this] { run(); }) {
  pthread_setname_np(thread_.native_handle(), name);
}

Worker::~Worker() { stop(); }

void Worker::post(std::function<void()> work) {
  bool was_empty = false;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    was_empty = queue_.empty();
    queue_.push_back(std::move(work));
  }
  if (was_empty) wake_.notify_one();
}

bool Worker::has_work_waiting() {
  std::lock_guard lock(mutex_);
  return !queue_.empty();
}

void Worker::stop() {
  {
    std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  wake_.notify_one();
  if (thread_.joinable()) thread_.join();
}

void Worker::run() {
  std::deque<std::function<void()>> batch;
  while (true) {
    {
      std::unique_lock lock(mutex_);
      wake_.wait(lock, [&] { return stopping_ || !queue_.empty(); });
      if (queue_.empty()) return;
      std::swap(batch, queue_);
    }
    for (auto& work : batch) work();
    batch.clear();
    if (on_idle_) on_idle_();
  }
}

}  // namespace muster::io
