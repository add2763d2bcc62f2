// UserQuota: how much of a shared resource each user may hold.
#pragma once

#include <cstddef>
#include <map>

#include "base/ids.h"

namespace muster {

class UserQuota {
 public:
  struct Limits {
    std::size_t count_of_user = 0, bytes_of_user = 0, count_of_all = 0;
  };
  explicit UserQuota(Limits limits) : limits_(limits) {}

  bool take(Uid user, std::size_t bytes) {  // false: that would be too much
    auto found = held_.find(user);
    const Held before = found == held_.end() ? Held{} : found->second;
    if (before.count >= limits_.count_of_user || count_ >= limits_.count_of_all ||
        before.bytes + bytes > limits_.bytes_of_user)
      return false;
    held_[user] = {before.count + 1, before.bytes + bytes};
    ++count_;
    return true;
  }
  void give_back(Uid user, std::size_t bytes) {
    auto found = held_.find(user);
    if (found == held_.end()) return;
    --count_;
    found->second.bytes -= bytes;
    if (--found->second.count == 0) held_.erase(found);
  }

 private:
  struct Held {
    std::size_t count = 0, bytes = 0;
  };
  Limits limits_;
  std::map<Uid, Held> held_;
  std::size_t count_ = 0;
};

}  // namespace muster
