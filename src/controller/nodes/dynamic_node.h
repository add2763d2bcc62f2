// Dynamic nodes, which are in no file: their partitions, and how they survive a new configuration.
#pragma once

#include <vector>

#include "controller/ledger/ledger.h"
#include "model/cluster.h"

namespace muster::controller {

// Partitions whose Nodes= includes the node: by ALL, by its name, or by a node set of one of its
// features.
std::vector<Text> partitions_of(const std::vector<Partition>& partitions,
                                const std::vector<std::pair<Text, Text>>& node_sets,
                                const NodeConfig& node);

// The configuration plus the cluster's dynamic nodes.
ClusterConfig with_dynamic_nodes(const Cluster& cluster, ClusterConfig config);

// Adds all of the nodes, or none if MaxNodeCount leaves no room.
Result<void> add_nodes(Ledger& ledger, const std::vector<NodeConfig>& nodes);

}  // namespace muster::controller
