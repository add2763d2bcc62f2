// gang: jobs that hold the same CPUs take turns. Who outranks the others runs; among equals each
// has its time slice.
#pragma once

#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Turns {
  std::vector<JobId> suspend, resume;
};

// What should change now. Without gang scheduling nobody loses a turn, but who awaits one gets it.
Turns next_turns(const Cluster& cluster, Time now);

}  // namespace muster::sched
