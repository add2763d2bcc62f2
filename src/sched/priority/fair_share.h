// Fair share: users who have used less than their share come first. This is the tree of accounts
// and users with their shares and usage, and each user's factor, by the rules of Fair Tree or by
// the classic formula. Without associations all users who have run jobs, or have jobs waiting, are
// equal children of the root.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Share {
  AssociationKey key;
  std::size_t parent = 0;  // index in the tree; the root is its own parent
  std::uint32_t depth = 0;
  std::uint32_t shares = 1;
  bool shares_of_parent = false;
  double usage_raw = 0;        // including all below it
  double usage_norm = 0;       // as a fraction of all usage
  double shares_norm = 0;      // a fraction: Fair Tree: among siblings; classic: of the whole
  double usage_effective = 0;  // likewise
  double level_fs = 0;         // Fair Tree: shares_norm / usage_effective
  double factor = 0;           // of a user; the classic formula also has one for accounts
  bool is_user() const { return !key.user.empty(); }
};

// The root first, then depth first: under each account its users, then its accounts, by name.
std::vector<Share> share_tree(const Cluster& cluster, Time now);

class FairShares {
 public:
  // Computes the tree only if priorities or limits depend on it.
  FairShares(const Cluster& cluster, Time now);

  // Between 0 and 1; 1 if no usage is counted, 0 for a user without an association.
  double factor_of(const Cluster& cluster, const Job& job) const;
  // The user's factor is below the UsageThreshold of the job's QOS, so the job may not run.
  bool below_threshold(const Cluster& cluster, const Job& job) const;

 private:
  bool counted_ = false;
  std::map<AssociationKey, double> factors_;
};

}  // namespace muster::sched
