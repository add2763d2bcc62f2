// topology.conf: the switches that connect the nodes (TopologyPlugin=topology/tree).
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"
#include "model/node/topology.h"

namespace muster::config {

// Leaves first, then by level; each switch with all nodes below it.
Result<std::vector<Switch>> load_topology_conf(const FileReader& read, const std::string& path);

}  // namespace muster::config
