// FairPool: threads for long answers. Each piece of work belongs to a user: users take turns, one
// user gets only a part of the threads, and how much work of one user may wait is limited. The
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
  std::size_t bytes_per_user = 32u << 20;  // of waiting work
};

class FairPool {
 public:
  struct Work {
    Uid user;
    bool is_operator = false;  // may use all threads, and is not counted
    std::size_t bytes = 0;     // of memory that it holds
    bool goes_on = false;      // continues work that was begun, so it is never refused
    std::function<void()> run;
  };
  // `may_run`: whether more work of this user may run now, called on any thread; empty = always.
  FairPool(std::string name, FairPoolLimits limits, std::function<bool(Uid)> may_run = {});
  ~FairPool() { stop(); }
  FairPool(const FairPool&) = delete;
  FairPool& operator=(const FairPool&) = delete;

  // False = too much work of the user waits, or the pool was stopped.
  [[nodiscard]] bool run(Work work);
  bool is_busy_for(Uid user) const;  // whether work of the user waits or runs
  void stop();                       // finishes running work, drops waiting work

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

  mutable std::mutex mutex_;  // guards the members below
  std::condition_variable wake_;
  Users users_;  // those with work that waits or runs
  Uid last_;     // the user who had the last turn
  std::size_t waiting_ = 0, idle_ = 0;
  bool is_stopped_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace muster::io
