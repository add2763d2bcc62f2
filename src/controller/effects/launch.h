// What a node is told to run: a batch script or its part of a step.
#pragma once

#include "base/containers/secret.h"
#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "wire/requests.h"

namespace muster::controller {

// A command that asks for the end of the job it runs in hears the answer, and its script its exit
// code, before the signals come.
inline constexpr Millis kTimeToHear{1000};

OutgoingOrder batch_launch(const Cluster& cluster, const Job& job, Secret key);
// The extern step: a supervisor without tasks.
OutgoingOrder extern_launch(const Cluster& cluster, const Job& job, NodeId node);
OutgoingOrder step_launch(const Cluster& cluster, const Job& job, const Step& step, NodeId node,
                          const wire::StepRequest& request, Secret key);

}  // namespace muster::controller
