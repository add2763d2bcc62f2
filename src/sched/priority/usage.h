// Usage: what jobs have used, charged to their QOS and their associations. A pure function of the
// state and the time: what the book says, less what has been forgotten since, and what running jobs
// and those that have just ended have added. The controller writes it down now and then.
#pragma once

#include <map>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

// Somebody asks for usage: PriorityType=priority/multifactor, or a limit.
bool counts_usage(const Cluster& cluster);

// The job's QOS and that of its partition, in the order in which their limits count.
std::vector<const Qos*> qos_of(const Cluster& cluster, const Job& job, const Partition* partition);
// The association that a job belongs to in a partition; where there are none, the user as such.
AssociationKey association_of(const Cluster& cluster, const Job& job, const Text& partition);
inline AssociationKey association_of(const Cluster& cluster, const Job& job) {
  return association_of(cluster, job, job.partition);
}

struct Counted {
  bool reset = false;                // PriorityUsageResetPeriod has passed
  std::map<Payer, PastUse> changed;  // whose totals are others now
};
Counted count_usage(const Cluster& cluster, Time now);

// All totals at a time.
std::map<Payer, PastUse> past_use(const Cluster& cluster, Time now);

// The last time at or before `now` at which usage is reset; unset = never.
Time last_reset(UsageReset period, Time now);

}  // namespace muster::sched
