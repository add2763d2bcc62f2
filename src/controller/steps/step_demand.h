// A step's request in the terms of placement: counts that follow from the job, texts parsed.
#pragma once

#include <set>
#include <vector>

#include "model/cluster.h"
#include "sched/place/step_place.h"
#include "wire/client_messages.h"

namespace muster::controller {

struct WantedStep {
  std::vector<NodeShare> held;  // the job's, on the nodes that the step may use
  sched::StepDemand demand;
};

// `taken`: nodes of the parts before it in the same job, which are not its own.
// Fails with words for srun to print where the request does not go with the job's nodes.
Result<WantedStep> step_demand(const Cluster& cluster, const Job& job,
                               const wire::StepRequest& request, const std::set<NodeId>& taken);

}  // namespace muster::controller
