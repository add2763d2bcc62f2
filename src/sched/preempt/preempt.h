// preempt: whom a job may displace, and whom it then really has to.
#pragma once

#include <functional>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

// What happens to this job if it must make room; off where it need not.
PreemptMode preempt_mode(const Cluster& cluster, const Job& victim);
// From when on others may displace it in this run; unset where nobody ever may.
Time preemptable_since(const Cluster& cluster, const Job& job);
// Who of two that hold the same CPUs comes first: the higher one.
std::int64_t preempt_rank(const Cluster& cluster, const Job& job);
// From the notice to the end; `by` whom it has to make room for.
Seconds grace_time(const Cluster& cluster, const Job& victim, const Job* by = nullptr);

// Jobs that `job` may displace in `partition`, the least loss first: they run, or are suspended.
std::vector<JobId> preemptable(const Cluster& cluster, const Job& job, const Partition& partition,
                               Time now);

// The fewest of them, in that order, without which `fits` holds; empty if it never does. The last
// question that `fits` says yes to is about those. In strict order nobody before the last is
// spared.
std::vector<JobId> fewest_victims(const std::vector<JobId>& preemptable,
                                  const std::function<bool(const std::vector<JobId>&)>& fits,
                                  bool strict_order);

}  // namespace muster::sched
