// FairPool: threads for long answers. Each piece of work belongs to a user: users take turns, one
// user gets only a part of the threads, and how much of one user's work may wait is limited. The
// threads start when there is work.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "base/ids.h"

namespace muster::io {

struct FairPoolLimits {
  std::size_t threads = 1;
  std::size_t running_per_user = 1;
  std::size_t waiting_per_user = 1000;
  std::size_t bytes_per_user = 32u << 20;  // of what waits
};

class FairPool {
 public:
  struct Work {
    Uid user;
    bool is_operator = false;  // may use all threads, and is not counted
    std::size_t bytes = 0;     // that it holds
    bool goes_on = false;      // with what was begun: never too much
    std::function<void()> run;
  };
  // `may_run` says whether there is room for more of this user's, on any thread; empty = always.
  FairPool(std::string name, FairPoolLimits limits, std::function<bool(Uid)> may_run = {});
  ~FairPool() { stop(); }
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  [[nodiscard]] bool run(Work work);  // false = the user has too much waiting, or it was stopped
  bool is_busy_for(Uid user) const;   // some of the user's work waits or runs
  std::size_t busy() const;           // threads that run something
  void stop();                        // finishes what runs, drops what waits

 private:
  struct User {
    std::deque<Work> waiting;
    std::size_t bytes = 0;
    std::size_t running = 0;
  };
  using Users = std::map<Uid, User>;

  void serve();
  Users::iterator next();
  bool may_begin(const Users::value_type& entry) const;

  const std::string name_;
  const FairPoolLimits limits_;
  const std::function<bool(Uid)> may_run_;

  mutable std::mutex mutex_;  // guards what follows
  std::condition_variable wake_;
  Users users_;  // that have work waiting or running
  Uid last_;     // whose turn it was
  std::size_t waiting_ = 0, idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::io
