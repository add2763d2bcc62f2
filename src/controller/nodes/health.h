// When HealthCheckProgram is due on which node.
#pragma once

#include <cstdint>

#include "model/cluster.h"

namespace muster::controller {

// The number of the interval that `now` lies in. It changes for all nodes at once, so that the
// checks disturb parallel jobs together; with CYCLE, for each node at a moment of its own.
std::int64_t health_round(const HealthCheck& check, NodeId node, Time now);

// Is the node in one of the states of HealthCheckNodeState?
bool wants_health_check(const HealthCheck& check, const Node& node);

}  // namespace muster::controller
