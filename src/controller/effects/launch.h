// Launch orders for nodes: a batch script, or the node's part of a step.
#pragma once

#include "base/containers/secret.h"
#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "wire/requests.h"

namespace muster::controller {

// If a command asks for the end of its own job, it gets the answer, and its script the exit code,
// before the signals.
inline constexpr Millis kTimeToHear{1000};

OutgoingOrder batch_launch(const Cluster& cluster, const Job& job, Secret key);
// The extern step: a supervisor without tasks.
OutgoingOrder extern_launch(const Cluster& cluster, const Job& job, NodeId node);
OutgoingOrder step_launch(const Cluster& cluster, const Job& job, const Step& step, NodeId node,
                          const wire::StepRequest& request, Secret key);

}  // namespace muster::controller
