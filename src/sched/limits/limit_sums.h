// limit_sums: what all jobs use of limits, for those who ask. Plans count only what they need, in
// sched/limits/limits.h.
#pragma once

#include <map>
#include <set>

#include "model/cluster.h"
#include "sched/limits/limit_sources.h"
#include "sched/request/amounts.h"

namespace muster::sched {

struct LimitSum {
  std::uint32_t jobs = 0, submitted = 0, accruing = 0;
  Amounts tres, run_minutes;
  std::set<NodeId> nodes;  // a node that several jobs share counts once
  PastUse past;            // only of a whole QOS and of associations
};
using LimitSums = std::map<LimitScopeKey, LimitSum>;

// By the QOS of jobs and partitions, also for each user and account; by associations, with what is
// below them.
LimitSums limit_sums(const Cluster& cluster, Time now);

}  // namespace muster::sched
