#include "controller/nodes/dynamic_node.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "config/lines/dynamic_node.h"
#include "controller/core.h"
#include "controller/update/settings_list.h"

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
    config.nodes.push_back(known ? known->config : node);  // with what scontrol has changed
    for (std::size_t i = 0; i < config.partitions.size(); ++i)
      if (belongs(config.partitions[i], config.node_sets, node))
        config.partition_nodes[i].push_back(node.name);
  }
  return config;
}

// Refused, all of them, where MaxNodeCount leaves no room.
Result<void> Core::add_nodes(const std::vector<NodeConfig>& nodes) {
  std::vector<const NodeConfig*> added;
  for (const NodeConfig& node : nodes)
    if (!cluster_.find_node(node.name)) added.push_back(&node);
  const std::uint32_t most = cluster_.settings().max_node_count;
  if (most == 0) return fail(ErrorCode::failure, "MaxNodeCount is not set: no dynamic nodes");
  if ((*cluster_.node_order).size() + added.size() > most)
    return fail(ErrorCode::failure, "there would be more than MaxNodeCount nodes");
  for (const NodeConfig* node : added) {
    host_.log("node " + node->name.str() + " is new in the cluster");
    NodeConfig config = *node;
    config.dynamic = true;
    record(NodeAdded{
        .config = std::move(config),
        .partitions = partitions_of(*cluster_.partitions, (*cluster_.config).node_sets, *node)});
  }
  want_plan();
  return {};
}

wire::Answer Core::create_nodes(const wire::UpdateRequest& request) {
  std::string line;
  for (const auto& [key, value] : request.settings) line += key + "=\"" + value + "\" ";
  auto nodes = config::parse_node_line(line, "scontrol create");
  if (!nodes) return nodes.error();
  for (NodeConfig& node : *nodes) {
    if (node.state != "CLOUD" && node.state != "FUTURE")
      return Error{ErrorCode::invalid_node_state, {}};
    if (node.port == 0) node.port = (*cluster_.config).slurmd_port;
  }
  if (auto added = add_nodes(*nodes); !added) return added.error();
  return wire::Done{};
}

wire::Answer Core::delete_nodes(const wire::UpdateRequest& request) {
  auto nodes = named_nodes(request);
  if (!nodes) return nodes.error();
  for (NodeId id : *nodes) {
    const Node& node = cluster_.nodes.at(id);
    if (!node.config.dynamic)
      return Error{ErrorCode::failure,
                   node.config.name.str() + " is in slurm.conf: remove it there"};
    if (!node.jobs.empty()) return Error{ErrorCode::nodes_busy, {}};
  }
  for (NodeId id : *nodes) {
    if (auto session = sessions_.find(id); session != sessions_.end()) {
      connections_.erase(session->second.connection);
      sessions_.erase(session);
    }
    loads_.erase(id);
    record(NodeRemoved{.node = id});
  }
  want_plan();
  return wire::Done{};
}

}  // namespace muster::controller
