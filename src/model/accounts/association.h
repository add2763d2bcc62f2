// Association: an account, or a user of an account (in one partition or in all), with its shares
// and limits. Associations form a tree: accounts have accounts and users below them. A value that
// is not set is inherited from the nearest association above.
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
  Text account, user, partition;  // no user: the account itself; no partition: all others
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
  std::uint32_t shares = 1;       // of its parent's shares
  bool shares_of_parent = false;  // Fairshare=parent: no shares of its own
  std::uint32_t priority = 0;
  std::optional<std::uint32_t> min_priority;  // MinPrioThreshold: lower jobs get no promise
  bool is_default = false;                    // the user's default account
  Text default_qos;
  std::vector<Text> qos;  // the QOS it may use; empty = inherited
  // `group` counts all jobs below the association; `per_user` those of one user's association.
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

// Requires that `all` is sorted by key.
const Association* find_association(const std::vector<Association>& all, const AssociationKey& key);
// The path from the association up to the root, as far as it is known.
std::vector<const Association*> line_of(const std::vector<Association>& all,
                                        const Association& association);
// The limits of the first association, including inherited ones; without group limits.
Limits inherited_limits(const std::vector<const Association*>& line);

}  // namespace muster
