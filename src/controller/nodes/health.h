// When which node runs HealthCheckProgram.
#pragma once

#include <cstdint>

#include "model/cluster.h"

namespace muster::controller {

// The number of the interval that `now` is in. It changes for all nodes at once, so that parallel
// jobs are disturbed only once; with CYCLE each node has a moment of its own.
std::int64_t health_round(const HealthCheck& check, NodeId node, Time now);

// Whether the node is in one of the states of HealthCheckNodeState.
bool wants_health_check(const HealthCheck& check, const Node& node);

}  // namespace muster::controller
