// What a node is told to run: a batch script or its part of a step.
#pragma once

#include "controller/host.h"
#include "model/cluster.h"

namespace muster::controller {

OutgoingOrder batch_launch(const Cluster& cluster, const Job& job, std::string key);
// The extern step: a supervisor without tasks.
OutgoingOrder extern_launch(const Cluster& cluster, const Job& job, NodeId node);
OutgoingOrder step_launch(const Cluster& cluster, const Job& job, const Step& step, NodeId node,
                          const wire::StepRequest& request, std::string key);

}  // namespace muster::controller
