#include "io/worker.h"

#include <pthread.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace muster::io {

Worker::Worker(const char* name, std::function<void()> on_idle)
    : on_idle_(std::move(on_idle)), thread_([this] { serve(); }) {
  pthread_setname_np(thread_.native_handle(), name);
}

Worker::~Worker() { stop(); }

void Worker::post(std::function<void()> work) {
  bool wakes = false;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    wakes = queue_.empty() && !is_busy_;
    queue_.push_back(std::move(work));
  }
  if (wakes) wake_.notify_one();
}

void Worker::run(std::function<void()> work) {
  Queue batch;
  {
    std::lock_guard lock(mutex_);
    if (stopping_) return;
    if (is_busy_ || !queue_.empty()) {
      queue_.push_back(std::move(work));
      return;  // whoever is busy sees it; a queue that is not empty has woken the thread
    }
    is_busy_ = true;
    batch.push_back(std::move(work));
  }
  // The caller has other things to do: after what its work posted, and that in turn, the thread
  // takes over.
  constexpr int kRounds = 4;
  for (int round = 0; round < kRounds && !batch.empty(); ++round) {
    work_off(batch);
    std::lock_guard lock(mutex_);
    std::swap(batch, queue_);
  }
  if (!batch.empty()) {
    std::lock_guard lock(mutex_);
    std::ranges::move(queue_, std::back_inserter(batch));
    std::swap(batch, queue_);
  }
  bool wakes = false;
  {
    std::lock_guard lock(mutex_);
    is_busy_ = false;
    wakes = stopping_ || !queue_.empty();
  }
  if (wakes) wake_.notify_all();
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
  wake_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Worker::work_off(Queue& batch) {
  for (auto& work : batch) work();
  batch.clear();
  if (on_idle_) on_idle_();
}

void Worker::serve() {
  Queue batch;
  std::unique_lock lock(mutex_);
  while (true) {
    wake_.wait(lock, [&] { return !is_busy_ && (stopping_ || !queue_.empty()); });
    if (queue_.empty()) return;
    std::swap(batch, queue_);
    is_busy_ = true;
    lock.unlock();
    work_off(batch);
    lock.lock();
    is_busy_ = false;
  }
}

}  // namespace muster::io
