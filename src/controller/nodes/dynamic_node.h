// Nodes that are in no file: where they belong, and that a new configuration keeps them.
#pragma once

#include <vector>

#include "controller/ledger/ledger.h"
#include "model/cluster.h"

namespace muster::controller {

// The partitions whose Nodes= has room for it: ALL, its name, or a node set of one of its features.
std::vector<Text> partitions_of(const std::vector<Partition>& partitions,
                                const std::vector<std::pair<Text, Text>>& node_sets,
                                const NodeConfig& node);

// The configuration with the cluster's dynamic nodes in it.
ClusterConfig with_dynamic_nodes(const Cluster& cluster, ClusterConfig config);

// Refused, all of them, where MaxNodeCount leaves no room.
Result<void> add_nodes(Ledger& ledger, const std::vector<NodeConfig>& nodes);

}  // namespace muster::controller
