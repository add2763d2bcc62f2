// LimitSources: where a job's limits come from, highest rank first: the QOS of its partition, its
// own QOS (the other way round with OverPartQOS), its association, the accounts above it. A limit
// set by a QOS overrides the same limit of associations. Group limits of each association count;
// all other association limits are inherited.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "model/cluster.h"
#include "sched/limits/limit_words.h"

namespace muster::sched {

// Which jobs a limit counts together: all of a QOS or an association, or only those of one user or
// account.
struct LimitScopeKey {
  UsageOwner owner;
  std::optional<Uid> user;
  Text account;
  auto operator<=>(const LimitScopeKey&) const = default;
  bool operator==(const LimitScopeKey&) const = default;
};

struct LimitSource {
  SourceKind kind = SourceKind::qos;
  const Limits* limits = nullptr;
  LimitScopeKey group, user, account;
  double factor = 1;              // LimitFactor: multiplies an association's limits
  std::size_t higher_ranked = 0;  // this many sources rank higher; their limits override these
};

class LimitSources {
 public:
  explicit LimitSources(const Cluster& cluster);

  bool any_limit() const { return any_limit_; }
  // ... a limit on what several jobs hold together.
  bool any_held_limit() const { return any_held_limit_; }
  // ... a limit on the number of nodes that they hold.
  bool any_node_limit() const { return any_node_limit_; }
  // ... a limit that running jobs can reach.
  bool any_time_limit() const { return any_time_limit_; }
  // ... a limit on the number of jobs that gain age.
  bool any_accrual_limit() const { return any_accrual_limit_; }
  // The result is valid as long as this object.
  std::vector<LimitSource> for_job(const Job& job, const Partition* partition) const;

 private:
  void add_line(const Job& job, const Text& partition, std::vector<LimitSource>& sources) const;
  const Limits& limits_of(const Association& association,
                          const std::vector<const Association*>& line) const;

  const Cluster& cluster_;
  bool any_limit_ = false, any_held_limit_ = false, any_node_limit_ = false,
       any_time_limit_ = false, any_accrual_limit_ = false, any_association_limit_ = false;
  mutable std::map<AssociationKey, Limits> association_limits_;  // filled when needed
};

}  // namespace muster::sched
