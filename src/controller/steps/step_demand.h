// A step's request as the placement needs it: counts that follow from the job, and parsed texts.
#pragma once

#include <set>
#include <vector>

#include "model/cluster.h"
#include "sched/place/step_place.h"
#include "wire/client_messages.h"

namespace muster::controller {

struct WantedStep {
  std::vector<NodeShare> held;  // of the job, on the nodes that the step may use
  sched::StepDemand demand;
};

// `taken`: nodes of earlier parts in the same job, which this part cannot have. Fails with a
// message for srun if the request does not fit the job's nodes.
Result<WantedStep> step_demand(const Cluster& cluster, const Job& job,
                               const wire::StepRequest& request, const std::set<NodeId>& taken);

}  // namespace muster::controller
