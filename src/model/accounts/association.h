// Association: an account, or a user of an account (in one partition or in all), with its shares
// and limits. Together they are a tree: accounts have accounts and users below them, and what is
// not said of one holds as the nearest above it says.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/containers/text.h"
#include "model/accounts/qos.h"

namespace muster {

inline constexpr std::string_view kRootAccount = "root";

struct AssociationKey {
  Text account, user, partition;  // no user: the account as such; no partition: in all others
  auto operator<=>(const AssociationKey&) const = default;
  bool operator==(const AssociationKey&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, account);
    v(2, user);
    v(3, partition);
  }
};

struct Association {
  AssociationKey key;
  Text parent;                    // of an account; empty = root
  std::uint32_t shares = 1;       // of what its parent has
  bool shares_of_parent = false;  // Fairshare=parent: it has no part of its own
  std::uint32_t priority = 0;
  std::optional<std::uint32_t> min_priority;  // a job with less is promised no time
  bool is_default = false;                    // of a user: for jobs that name no account
  Text default_qos;
  std::vector<Text> qos;  // those it may use; empty = as above it
  // `group` counts the jobs of all below it; `per_user` those of one user's association.
  Limits limits;

  bool is_user() const { return !key.user.empty(); }
  bool is_root() const { return key.account == kRootAccount && !is_user(); }
  bool operator==(const Association&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, key);
    v(2, parent);
    v(3, shares);
    v(4, shares_of_parent);
    v(5, priority);
    v(6, min_priority);
    v(7, default_qos);
    v(8, qos);
    v(9, limits);
    v(190, is_default);
  }
};

// `all` is in the order of the keys.
const Association* find_association(const std::vector<Association>& all, const AssociationKey& key);
// From the association up to the root, as far as it is known.
std::vector<const Association*> line_of(const std::vector<Association>& all,
                                        const Association& association);
// Its limits with those that it inherits: all but what its group may do.
Limits inherited_limits(const std::vector<const Association*>& line);

}  // namespace muster
