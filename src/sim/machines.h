// The simulated cluster as its administrator would configure it.
#pragma once

#include "model/cluster.h"
#include "sim/world.h"

namespace muster::sim {

ClusterConfig configured_for(const WorldOptions& options);

}  // namespace muster::sim
