// BlockingPool: threads for calls that block. They start with the first call.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <limits>
#include <mutex>
#include <thread>
#include <vector>

namespace muster::io {

class BlockingPool {
 public:
  explicit BlockingPool(int threads,
                        std::size_t waiting_max = std::numeric_limits<std::size_t>::max())
      : threads_max_(threads), waiting_max_(waiting_max) {}
  ~BlockingPool() { stop(); }
  // False = too many calls wait, or the pool was stopped.
  [[nodiscard]] bool run(std::function<void()> work);
  void stop();  // finishes running calls, drops waiting ones

 private:
  void work();

  const int threads_max_;
  const std::size_t waiting_max_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  int idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::io
