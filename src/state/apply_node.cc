// Applies events of nodes. What a new configuration changes is in apply_cluster.cc.
#include <algorithm>

#include "base/check.h"
#include "state/applier.h"

namespace muster {

namespace {

void set_reason(Node& node, const std::optional<NodeReason>& reason) {
  if (!reason) return;
  node.reason = reason->text;
  node.reason_uid = reason->by;
  node.reason_time = reason->at;
}

// A node that answers is no longer FUTURE.
void set_answering(Node& node) {
  node.responding = true;
  node.future = false;
}

}  // namespace

void NodeApplier::add_node(NodeId id, const NodeConfig& config) {
  cluster.next_node_id = NodeId{id.value + 1};
  Node node;
  node.id = id;
  node.future = config.state == "FUTURE";
  node.drain = config.state == "DRAIN";
  node.fail = config.state == "FAIL";
  if (config.state == "DOWN") node.health = NodeHealth::down;
  if (config.state == "CLOUD") {  // powered off until a job needs it
    node.health = NodeHealth::up;
    node.power.phase = PowerPhase::off;
  }
  node.reason = config.reason;
  cluster.nodes.put(id, std::move(node));
}

void NodeApplier::set_config(Node& node, const NodeConfig& config) {
  bool features_changed = node.config.features != config.features;
  node.config = config;
  set_host(node, config);
  add_detected(node.config.gres, node.facts.gres);
  if (features_changed) node.active_features = config.features;
}

// The node's address and host name: as an administrator set it, else as the node said, else as
// configured.
void NodeApplier::set_host(Node& node, const NodeConfig& config) {
  node.config.hostname = config.hostname;
  node.config.address = config.address;
  if (!node.claim.hostname.empty()) {
    node.config.hostname = node.claim.hostname;
    node.config.address = node.claim.address;
  }
  if (!node.given.hostname.empty()) node.config.hostname = node.given.hostname;
  if (!node.given.address.empty()) node.config.address = node.given.address;
}

// Sets the machine that claimed the node and the machine that an administrator named; either may be
// empty.
void NodeApplier::set_machine(Node& node, const NodeClaim& claim, const NodeClaim& given) {
  if (node.claim == claim && node.given == given) return;
  node.claim = claim;
  node.given = given;
  const auto& configured = (*cluster.config).nodes;
  auto found = std::ranges::find(configured, node.config.name, &NodeConfig::name);
  if (found != configured.end()) set_host(node, *found);
}

void NodeApplier::operator()(const NodeRegistered& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.facts = e.facts;
  add_detected(node.config.gres, e.facts.gres);
  if (!is_set(node.last_busy)) node.last_busy = e.at;
}

void NodeApplier::operator()(const NodeCameUp& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.health = NodeHealth::up;
  set_answering(node);
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeAnswered& e) { set_answering(cluster.nodes.edit(e.node)); }

void NodeApplier::operator()(const NodeFellSilent& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.responding = false;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeWentDown& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.health = NodeHealth::down;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeDrained& e) {
  Node& node = cluster.nodes.edit(e.node);
  (e.fail ? node.fail : node.drain) = true;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeUndrained& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.drain = node.fail = false;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeResumed& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.drain = node.fail = node.future = false;
  node.health = NodeHealth::up;
  node.responding = e.responding;
  set_reason(node, NodeReason{});
}

void NodeApplier::operator()(const NodeMadeFuture& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.future = true;
  set_machine(node, {}, node.given);
}

void NodeApplier::operator()(const NodeClaimed& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.drain = node.fail = node.future = node.responding = false;
  node.health = NodeHealth::unknown;
  set_reason(node, NodeReason{});
  set_machine(node, e.by, node.given);
}

void NodeApplier::operator()(const NodePowerChanged& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.power = {.phase = e.phase, .since = e.at};
  set_reason(node, e.reason);
  switch (e.phase) {
    case PowerPhase::on:
      break;
    case PowerPhase::powering_down:
      node.drain = false;
      break;
    case PowerPhase::powering_up:
      node.health = NodeHealth::up;
      break;
    case PowerPhase::off:
      node.responding = false;
      set_machine(node, node.claim, {});
      break;
  }
}

void NodeApplier::operator()(const NodePowerDownAsked& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.power.down_asked = !e.withdrawn;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeRebootAsked& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.reboot = {.asked = true, .asap = e.asap, .next_state = e.next_state, .since = e.at};
  if (e.asap) node.drain = true;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeRebootIssued& e) {
  NodeReboot& reboot = cluster.nodes.edit(e.node).reboot;
  reboot.asked = false;
  reboot.issued = true;
  reboot.since = e.at;
}

void NodeApplier::operator()(const NodeRebootEnded& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.reboot = {};
  if (e.undrains) node.drain = false;
  set_reason(node, e.reason);
}

void NodeApplier::operator()(const NodeUpdated& e) {
  Node& node = cluster.nodes.edit(e.node);
  set_reason(node, e.reason);
  node.comment = e.comment.value_or(node.comment);
  node.extra = e.extra.value_or(node.extra);
  node.config.weight = e.weight.value_or(node.config.weight);
  node.config.features = e.available_features.value_or(node.config.features);
  node.active_features = e.active_features.value_or(node.active_features);
  node.config.cpu_bind = e.cpu_bind.value_or(node.config.cpu_bind);
  if (e.gres) {
    node.config.gres_text = e.gres->text;
    node.config.gres = e.gres->pools;
  }
  if (e.given) set_machine(node, node.claim, *e.given);
}

void NodeApplier::operator()(const NodeAdded& e) {
  CHECK(!(*cluster.node_ids).contains(e.config.name));
  const NodeId id = cluster.next_node_id;
  add_node(id, e.config);
  set_config(cluster.nodes.edit(id), e.config);
  cluster.node_ids.edit()[e.config.name] = id;
  cluster.node_order.edit().push_back(id);
  cluster.config.edit().nodes.push_back(e.config);
  auto is_member = [&](const Partition& partition) {
    return std::ranges::find(e.partitions, partition.name) != e.partitions.end();
  };
  for (Partition& partition : cluster.partitions.edit())
    if (is_member(partition)) partition.nodes.push_back(id);
  ClusterConfig& config = cluster.config.edit();
  for (std::size_t i = 0; i < config.partitions.size(); ++i)
    if (is_member(config.partitions[i])) config.partition_nodes[i].push_back(e.config.name);
}

void NodeApplier::operator()(const NodeRemoved& e) {
  const Node& node = cluster.nodes.at(e.node);
  CHECK(node.jobs.empty() && node.config.dynamic);
  const Text name = node.config.name;
  ClusterConfig& config = cluster.config.edit();
  std::erase_if(config.nodes, [&](const NodeConfig& n) { return n.name == name; });
  for (std::vector<Text>& names : config.partition_nodes) std::erase(names, name);
  for (Reservation& r : cluster.reservations.edit()) {
    auto at = std::ranges::find(r.nodes, e.node);
    if (at == r.nodes.end()) continue;
    if (r.has_part_of_nodes()) r.cpus.erase(r.cpus.begin() + (at - r.nodes.begin()));
    r.nodes.erase(at);
  }
  for (Partition& partition : cluster.partitions.edit()) std::erase(partition.nodes, e.node);
  std::erase(cluster.node_order.edit(), e.node);
  cluster.node_ids.edit().erase(name);
  cluster.nodes.erase(e.node);
}

}  // namespace muster
