// Nodes that go off and come on: idle for SuspendTime, needed by a job, or told to go.
#pragma once

#include <vector>

#include "model/cluster.h"

namespace muster::controller {

bool all_on(const Cluster& cluster, const std::vector<NodeShare>& allocation);

// Has it been idle for so long that SuspendProgram may take it?
bool may_suspend(const Cluster& cluster, const Node& node, Time now);

}  // namespace muster::controller
