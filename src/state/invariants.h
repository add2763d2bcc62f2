// Recomputes what must be true of a cluster's state. The simulator and the tests call it after
// every batch, the controller once when it starts.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"

namespace muster {

// The broken invariants, one sentence each; empty if all hold.
std::vector<std::string> broken_invariants(const Cluster& cluster);

}  // namespace muster
