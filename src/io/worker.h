// Worker: runs what it is given, one piece at a time and in order, on a thread of its own. The
// controller's core, its store, its planner and its accounting each live on one; they hand each
// other work and share nothing.
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
  // Where nothing runs or waits, the caller's thread does the work, and what that posts: waking
  // another thread would take longer. Otherwise the same as post(). Not from within the work.
  void run(std::function<void()> work);
  bool has_work_waiting();
  void stop();  // finishes what is queued; later posts are dropped

 private:
  using Queue = std::deque<std::function<void()>>;
  void serve();
  void work_off(Queue& batch);

  std::function<void()> on_idle_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  Queue queue_;
  bool is_busy_ = false;  // somebody runs work
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace muster::io
