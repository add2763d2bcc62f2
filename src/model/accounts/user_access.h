// UserAccess: what accounting says about a user beyond associations: how much of an administrator
// the user is, and the keys to charge work to.
#pragma once

#include <cstdint>
#include <vector>

#include "base/containers/text.h"

namespace muster {

enum class AdminLevel : std::uint8_t { none, operates, administers };
constexpr AdminLevel last_of(AdminLevel) { return AdminLevel::administers; }

struct UserAccess {
  Text user;
  AdminLevel admin_level = AdminLevel::none;
  std::vector<Text> wckeys;  // ascending
  Text default_wckey;
  bool operator==(const UserAccess&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, user);
    v(2, admin_level);
    v(3, wckeys);
    v(4, default_wckey);
  }
};

// The users who decide about an account and what is below it.
struct Coordinators {
  Text account;
  std::vector<Text> users;  // ascending
  bool operator==(const Coordinators&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, account);
    v(2, users);
  }
};

}  // namespace muster
