// Worker: one thread that runs what it is given, in order. The controller's core, its store, its
// planner and its accounting each live on one; they hand each other work and share nothing.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace muster::io {

class Worker {
 public:
  // The name is the thread's, for top and profilers. on_idle runs after each time the queue was
  // worked off.
  explicit Worker(const char* name, std::function<void()> on_idle = {});
  ~Worker();  // finishes what is queued, then joins

  void post(std::function<void()> work);
  bool has_work_waiting();
  void stop();  // finishes what is queued; later posts are dropped

 private:
  void run();

  std::function<void()> on_idle_;
  std::mutex mutex_;  // guards queue_ and stopping_
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::io
