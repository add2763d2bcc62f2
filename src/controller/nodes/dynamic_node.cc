// Adds dynamic nodes to the cluster and to its partitions.
#include "controller/nodes/dynamic_node.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::controller {

namespace {

bool has_feature(const NodeConfig& node, const Text& feature) {
  return std::ranges::find(node.features, feature) != node.features.end();
}

bool belongs(const Partition& partition, const std::vector<std::pair<Text, Text>>& node_sets,
             const NodeConfig& node) {
  auto names = expand_hostlist(partition.nodes_text);
  if (!names) return false;
  return std::ranges::any_of(*names, [&](const std::string& name) {
    if (name == "ALL" || node.name == name) return true;
    return std::ranges::any_of(node_sets, [&](const auto& set) {
      return set.first == name && has_feature(node, set.second);
    });
  });
}

}  // namespace

std::vector<Text> partitions_of(const std::vector<Partition>& partitions,
                                const std::vector<std::pair<Text, Text>>& node_sets,
                                const NodeConfig& node) {
  std::vector<Text> found;
  for (const Partition& partition : partitions)
    if (belongs(partition, node_sets, node)) found.push_back(partition.name);
  return found;
}

ClusterConfig with_dynamic_nodes(const Cluster& cluster, ClusterConfig config) {
  for (const NodeConfig& node : (*cluster.config).nodes) {
    if (!node.dynamic) continue;
    const bool now_in_the_file = std::ranges::any_of(
        config.nodes, [&](const NodeConfig& other) { return other.name == node.name; });
    if (now_in_the_file) continue;
    const Node* known = cluster.find_node(node.name);
    config.nodes.push_back(known ? known->config : node);  // with later changes by scontrol
    for (std::size_t i = 0; i < config.partitions.size(); ++i)
      if (belongs(config.partitions[i], config.node_sets, node))
        config.partition_nodes[i].push_back(node.name);
  }
  return config;
}

Result<void> add_nodes(Ledger& ledger, const std::vector<NodeConfig>& nodes) {
  std::vector<const NodeConfig*> added;
  for (const NodeConfig& node : nodes)
    if (!ledger.cluster().find_node(node.name)) added.push_back(&node);
  const std::uint32_t most = ledger.settings().max_node_count;
  if (most == 0) return fail(ErrorCode::failure, "MaxNodeCount is not set: no dynamic nodes");
  if ((*ledger.cluster().node_order).size() + added.size() > most)
    return fail(ErrorCode::failure, "there would be more nodes than MaxNodeCount");
  for (const NodeConfig* node : added) {
    ledger.log("node " + node->name.str() + " is new in the cluster");
    NodeConfig config = *node;
    config.dynamic = true;
    ledger.record(
        NodeAdded{.config = std::move(config),
                  .partitions = partitions_of(*ledger.cluster().partitions,
                                              (*ledger.cluster().config).node_sets, *node)});
  }
  ledger.want_plan();
  return {};
}

}  // namespace muster::controller
