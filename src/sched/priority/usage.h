// Usage: what jobs have used, charged to their QOS and their associations. A pure function of the
// state and the time: the usage book, decayed since it was written, plus the usage of jobs that run
// or ended since then. The controller writes the book from time to time.
#pragma once

#include <map>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

// Whether anything depends on usage: PriorityType=priority/multifactor, or a limit.
bool counts_usage(const Cluster& cluster);

// The job's QOS and that of its partition, in the order in which their limits count.
std::vector<const Qos*> qos_of(const Cluster& cluster, const Job& job, const Partition* partition);
// The association that a job belongs to in a partition; without associations, just the user.
AssociationKey association_of(const Cluster& cluster, const Job& job, const Text& partition);
inline AssociationKey association_of(const Cluster& cluster, const Job& job) {
  return association_of(cluster, job, first_of(job.partitions));
}

struct Counted {
  bool reset = false;                     // PriorityUsageResetPeriod has passed
  std::map<UsageOwner, PastUse> changed;  // owners whose totals have changed
};
Counted count_usage(const Cluster& cluster, Time now);

// The totals of all owners at this time.
std::map<UsageOwner, PastUse> past_use(const Cluster& cluster, Time now);

// The last time at or before `now` at which usage is reset; unset = never.
Time last_reset(UsageReset period, Time now);

}  // namespace muster::sched
