// Worker: runs posted work in order, on a thread of its own. The controller's store, planner and
// accounting have one each; they pass each other work and share nothing.
// Work for which memory does not suffice is called again until it does.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>

namespace muster::io {

class Worker {
 public:
  explicit Worker(const char* name);  // of the thread, for top and profilers
  ~Worker();                          // finishes queued work, then joins

  void post(std::function<void()> work);
  void stop();  // finishes queued work; later posts are dropped

 private:
  void serve();
  void run(const std::function<void()>& work);

  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::deque<std::function<void()>> queue_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::io
