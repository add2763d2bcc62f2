// Fair share: who has used less than his part comes first. The tree of accounts and users with
// their shares and usage, and the factor of each user that follows, by the rules of Fair Tree or by
// the classic formula. Where there are no associations all users that have run or wait to are equal
// children of the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Share {
  AssociationKey key;
  std::size_t parent = 0;  // its place in the tree; the root is its own
  std::uint32_t depth = 0;
  std::uint32_t shares = 1;
  bool shares_of_parent = false;
  double usage_raw = 0;        // with that of all below it
  double usage_norm = 0;       // its part of all usage
  double shares_norm = 0;      // Fair Tree: among its siblings; otherwise of the whole
  double usage_effective = 0;  // likewise
  double level_fs = 0;         // Fair Tree: shares_norm / usage_effective
  double factor = 0;           // of a user; the classic formula has one for accounts, too
  bool is_user() const { return !key.user.empty(); }
};

// The root first, then each one's users and accounts in the order of their names, depth first.
std::vector<Share> share_tree(const Cluster& cluster, Time now);

class FairShares {
 public:
  // Computed only where something depends on it.
  FairShares(const Cluster& cluster, Time now);

  // Between 0 and 1; 1 where nothing is counted, 0 for who is in no association.
  double of(const Cluster& cluster, const Job& job) const;
  // Its QOS lets only users run who have used less (UsageThreshold).
  bool below_threshold(const Cluster& cluster, const Job& job) const;

 private:
  bool counted_ = false;
  std::map<AssociationKey, double> factors_;
};

}  // namespace muster::sched
