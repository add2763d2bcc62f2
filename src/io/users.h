// What the system's user database says.
#pragma once

#include <chrono>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/text.h"

namespace muster::io {

// All groups of a user, the given one included.
std::vector<Gid> user_groups(const std::string& name, Gid primary);

// The names of all groups of a user; empty where the user is not known.
std::vector<std::string> group_names(Uid user);

bool is_user(const std::string& name);

// The names of a group's users, those whose own group it is included; nothing where there is none.
std::optional<std::vector<std::string>> users_of_group(const std::string& group);

// Names of users, each asked of the system once in a while. Thread-safe.
class UserNames {
 public:
  Text of(Uid user);  // empty where the user is not known

 private:
  using Clock = std::chrono::steady_clock;
  struct Known {
    Text name;
    Clock::time_point until;
  };
  std::mutex mutex_;  // guards known_
  std::map<Uid, Known> known_;
};

}  // namespace muster::io
