// preempt: which jobs a job may preempt, and the fewest of them that it has to.
#pragma once

#include <functional>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

// How this job is preempted; off if it never is.
PreemptMode preempt_mode(const Cluster& cluster, const Job& victim);
// When the job's present run can first be preempted (PreemptExemptTime); unset if never.
Time preemptable_since(const Cluster& cluster, const Job& job);
// Of two jobs that hold the same CPUs, the one with the higher rank runs.
std::int64_t preempt_rank(const Cluster& cluster, const Job& job);
// The time from the notice to the end. `by`: the preemptor.
Seconds grace_time(const Cluster& cluster, const Job& victim, const Job* by = nullptr);

// Running and suspended jobs that `job` may preempt in `partition`, the least loss first.
std::vector<JobId> preemptable(const Cluster& cluster, const Job& job, const Partition& partition,
                               Time now);

// The fewest of these jobs, in the same order, without which `fits` holds; empty if there are none.
// The last call of `fits` that returns true is for the result. With strict order no job before the
// last victim is spared.
std::vector<JobId> fewest_victims(const std::vector<JobId>& preemptable,
                                  const std::function<bool(const std::vector<JobId>&)>& fits,
                                  bool strict_order);

}  // namespace muster::sched
