// What a simulated world says when something is not as it must be.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"
#include "sched/plan.h"
#include "state/store.h"

namespace muster::sim {

// " JobStarted JobsHeld": the events of a batch.
std::string kinds_of(const Batch& batch);
// Jobs that have not ended, with why they wait as far as the plan says.
std::vector<std::string> jobs_not_ended(const Cluster& cluster, const sched::Plan* plan);
// Whether what is stored gives this state.
bool leads_to(const StoredState& stored, const Cluster& cluster);

}  // namespace muster::sim
