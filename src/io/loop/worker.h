// Worker: runs what it is given, one piece at a time and in order, on a thread of its own. The
// controller's store, its planner and its accounting each live on one; they hand each other work
// and share nothing. Work for which memory does not suffice is called again until it does.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace muster::io {

class Worker {
 public:
  explicit Worker(const char* name);  // the thread's, for top and profilers
  ~Worker();                          // finishes what is queued, then joins

  void post(std::function<void()> work);
  void stop();  // finishes what is queued; later posts are dropped

 private:
  void serve();
  void run(const std::function<void()>& work);

  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::io
