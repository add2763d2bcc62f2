// BlockingPool: threads for calls that block. They start when the first such call comes.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace muster::io {

class BlockingPool {
 public:
  explicit BlockingPool(int threads) : threads_max_(threads) {}
  ~BlockingPool() { stop(); }
  void run(std::function<void()> work);
  void stop();  // finishes what runs, drops what waits

 private:
  void work();

  const int threads_max_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  int idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::io
