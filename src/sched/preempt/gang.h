// gang: jobs that hold the same CPUs take turns. The job with the highest rank runs; jobs of equal
// rank get one time slice each.
#pragma once

#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Turns {
  std::vector<JobId> suspend, resume;
};

// The jobs to suspend and resume now. Without gang scheduling no job is suspended, but a job that
// waits for its turn is resumed when its CPUs are free.
Turns next_turns(const Cluster& cluster, Time now);

}  // namespace muster::sched
