// Looks up users on a thread, and runs the work that waits for the answers.
#include "slurmctld/users/users.h"

#include <chrono>
#include <utility>

namespace muster::daemon {

void KnownUsers::when_known(io::Loop& loop, Uid user, std::function<void()> then) {
  constexpr std::chrono::milliseconds kPatience{1000};
  if (users_.is_fresh(user)) return then();
  auto [waiting, is_first] = waiting_.try_emplace(user);
  const bool is_known = users_.find(user).has_value();
  if (is_known && !is_first) return then();
  waiting->second.push_back(std::move(then));
  if (!is_first) return;
  if (is_known) loop.after(kPatience, [this, user] { run_work_waiting_for(user); });
  loop.run_blocking([this, &loop, user] {
    users_.ask(user);
    loop.post([this, user] {
      if (stopping_) return;
      run_work_waiting_for(user);
      waiting_.erase(user);
    });
  });
}

void KnownUsers::run_work_waiting_for(Uid user) {
  if (stopping_) return;
  auto waiting = waiting_.find(user);
  if (waiting == waiting_.end()) return;
  for (const auto& then : std::exchange(waiting->second, {})) then();
}

Text KnownUsers::name_of(Uid user) {
  auto known = users_.find(user);
  return known ? known->name : users_.ask(user).name;
}

Text KnownUsers::fresh_name_of(Uid user) {
  return users_.is_fresh(user) ? name_of(user) : users_.ask(user).name;
}

std::vector<std::string> KnownUsers::groups_of(Uid user) {
  auto known = users_.find(user);
  return known ? known->groups : users_.ask(user).groups;
}

}  // namespace muster::daemon
