// KnownUsers: names and groups of users, and the work that waits for them. The loop never waits for
// the name service.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "io/loop/loop.h"
#include "io/users.h"

namespace muster::daemon {

class KnownUsers {
 public:
  // Once `stopping` is set, the loop leaves the users alone.
  explicit KnownUsers(const std::atomic<bool>& stopping) : stopping_(stopping) {}

  // Calls `then` on the loop when the user's name and groups are known. If the name service does
  // not answer soon, what was known before is used.
  void when_known(io::Loop& loop, Uid user, std::function<void()> then);
  std::vector<std::string> groups_of(Uid user);
  Text name_of(Uid user);        // may wait for the name service
  Text fresh_name_of(Uid user);  // likewise; asks again after a while
  const io::Users& cache() const { return users_; }

 private:
  void run_work_waiting_for(Uid user);

  const std::atomic<bool>& stopping_;
  io::Users users_;
  std::map<Uid, std::vector<std::function<void()>>> waiting_;  // on the loop's thread
};

}  // namespace muster::daemon
