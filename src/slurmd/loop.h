// slurmd's main thread: waits for descriptors, for work that io threads hand over, and for a time.
// Everything of slurmd but the sockets of the io layer happens here, so nothing needs a lock but
// the inbox.
#pragma once

#include <functional>
#include <map>
#include <mutex>
#include <vector>

#include "base/time.h"

namespace muster {

class SlurmdLoop {
 public:
  using Work = std::function<void()>;

  SlurmdLoop();
  ~SlurmdLoop();
  SlurmdLoop(const SlurmdLoop&) = delete;
  SlurmdLoop& operator=(const SlurmdLoop&) = delete;

  void post(Work work);  // from any thread

  [[nodiscard]] bool watch(int fd, Work on_readable);  // false = the system has no room for it
  void unwatch(int fd);
  void run_once(Millis timeout);

 private:
  void run_inbox();

  int epoll_, wakeup_;
  std::map<int, Work> watched_;
  std::mutex mutex_;  // guards inbox_
  std::vector<Work> inbox_;
};

}  // namespace muster
