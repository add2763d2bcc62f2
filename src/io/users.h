// users: names and groups from the system's user database.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"

namespace muster::io {

// All groups of a user, the given one included.
std::vector<Gid> user_groups(const std::string& name, Gid primary);

// The names of all groups of a user; empty if the user is unknown.
std::vector<std::string> group_names(Uid user);

// What a program needs to run as this user; unset if the system does not know the user.
struct Account {
  std::string name, home;
  Gid gid;
  std::vector<Gid> groups;
};
std::optional<Account> account_of(Uid user);

bool is_user(const std::string& name);

// The names of a group's users, including those whose primary group it is; unset if there is no
// such group.
std::optional<std::vector<std::string>> users_of_group(const std::string& group);

// A cache of names and groups of users, refreshed from the system now and then. Thread-safe.
class Users {
 public:
  struct User {
    Text name;  // empty if the system does not know the user
    std::vector<std::string> groups;
  };
  std::optional<User> find(Uid user) const;  // as of the last ask(); unset if there was none
  bool is_fresh(Uid user) const;             // asked a short time ago
  User ask(Uid user);                        // asks the system; may block for long

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    User user;
    Clock::time_point until;
  };
  mutable std::mutex mutex_;  // guards known_
  std::map<Uid, Known> known_;
};

}  // namespace muster::io
