// preempt: whom a job may displace, and whom it then really has to.
#pragma once

#include <functional>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

// What happens to this job if it must make room; off where it need not.
PreemptMode preempt_mode(const Cluster& cluster, const Job& victim);
Seconds grace_time(const Cluster& cluster, const Job& victim);

// Running jobs that `job` may displace in `partition`, the least loss first.
std::vector<JobId> preemptable(const Cluster& cluster, const Job& job, const Partition& partition,
                               Time now);

// The fewest of them, in that order, without which `fits` holds; empty if it never does.
std::vector<JobId> fewest_victims(const std::vector<JobId>& preemptable,
                                  const std::function<bool(const std::vector<JobId>&)>& fits);

}  // namespace muster::sched
