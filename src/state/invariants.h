// Recomputes what must hold of a cluster's state from first principles. The simulator and the tests
// call it after every batch; the controller once at its start.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"

namespace muster {

// What is broken, one sentence each; empty if all is well.
std::vector<std::string> broken_invariants(const Cluster& cluster);

}  // namespace muster
