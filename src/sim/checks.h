// Checks of a simulated world, and the texts about what they find.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"
#include "sched/plan.h"
#include "state/store.h"

namespace muster::sim {

// " JobStarted JobsHeld": the kinds of events in a batch.
std::string kinds_of(const Batch& batch);
// Jobs that have not ended, with the plan's reasons for their waiting.
std::vector<std::string> jobs_not_ended(const Cluster& cluster, const sched::Plan* plan);
// Whether the stored snapshot and journal lead to this state.
bool leads_to(const StoredState& stored, const Cluster& cluster);

}  // namespace muster::sim
