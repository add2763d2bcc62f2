// BlockingPool: threads for calls that block. They start when the first such call comes.
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
  [[nodiscard]] bool run(std::function<void()> work);  // false = too many wait, or it was stopped
  void stop();                                         // finishes what runs, drops what waits

 private:
  void work();

  const int threads_max_;
  const std::size_t waiting_max_;
  std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  std::deque<std::function<void()>> waiting_;
  int idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::io
