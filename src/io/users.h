// What the system's user database says.
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

// The names of all groups of a user; empty where the user is not known.
std::vector<std::string> group_names(Uid user);

bool is_user(const std::string& name);

// The names of a group's users, those whose own group it is included; nothing where there is none.
std::optional<std::vector<std::string>> users_of_group(const std::string& group);

// Names and groups of users, each asked of the system once in a while. Thread-safe.
class Users {
 public:
  struct User {
    Text name;  // empty where the system does not know the user
    std::vector<std::string> groups;
  };
  std::optional<User> find(Uid user) const;  // as last heard; nothing where it was never asked
  bool is_fresh(Uid user) const;             // it was asked a short time ago
  User ask(Uid user);                        // of the system: that may block for long

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
