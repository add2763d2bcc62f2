// Applies events of nodes, partitions, reservations, associations and the configuration.
#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "state/applier.h"

namespace muster {

void Applier::operator()(const EpochStarted& e) { cluster.epoch = e.epoch; }

void Applier::operator()(const ConfigLoaded& e) {
  cluster.config = e.config;
  const ClusterConfig& config = *e.config;
  cluster.next_job_id = std::max(cluster.next_job_id, JobId{config.settings.first_job_id});
  auto& ids = cluster.node_ids.edit();
  std::map<Text, NodeId> kept;
  std::vector<NodeId> order;
  for (const NodeConfig& wanted : config.nodes) {
    auto known = ids.find(wanted.name);
    NodeId id = known == ids.end() ? cluster.next_node_id : known->second;
    if (known == ids.end()) add_node(id, wanted);
    set_node_config(cluster.nodes.edit(id), wanted);
    kept[wanted.name] = id;
    order.push_back(id);
  }
  cluster.node_order = Cow(std::move(order));
  for (auto& [name, id] : ids)
    if (!kept.contains(name)) cluster.nodes.erase(id);
  ids = std::move(kept);
  load_partitions(config);
}

void Applier::add_node(NodeId id, const NodeConfig& config) {
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

void Applier::set_node_config(Node& node, const NodeConfig& config) {
  bool features_changed = node.config.features != config.features;
  node.config = config;
  set_host(node, config);
  add_detected(node.config.gres, node.facts.gres);
  if (features_changed) node.active_features = config.features;
}

// The node's address and host name: as an administrator set it, else as the node said, else as
// configured.
void Applier::set_host(Node& node, const NodeConfig& config) {
  node.config.hostname = config.hostname;
  node.config.address = config.address;
  if (!node.claim.hostname.empty()) {
    node.config.hostname = node.claim.hostname;
    node.config.address = node.claim.address;
  }
  if (!node.given.hostname.empty()) node.config.hostname = node.given.hostname;
  if (!node.given.address.empty()) node.config.address = node.given.address;
}

void Applier::load_partitions(const ClusterConfig& config) {
  std::vector<Partition> partitions = config.partitions;
  for (std::size_t i = 0; i < partitions.size(); ++i) {
    partitions[i].nodes.clear();
    for (const Text& name : config.partition_nodes[i])
      if (auto id = (*cluster.node_ids).find(name); id != (*cluster.node_ids).end())
        partitions[i].nodes.push_back(id->second);
  }
  cluster.partitions = Cow(std::move(partitions));
}

void Applier::operator()(const NodeRegistered& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.facts = e.facts;
  add_detected(node.config.gres, e.facts.gres);
  if (!is_set(node.last_busy)) node.last_busy = e.at;
}

void Applier::operator()(const NodeChanged& e) {
  Node& node = cluster.nodes.edit(e.node);
  node.health = e.health;
  node.drain = e.drain;
  node.fail = e.fail;
  node.future = e.future;
  node.responding = e.responding;
  node.reason = e.reason;
  node.reason_uid = e.reason_uid;
  node.reason_time = e.reason_time;
  node.comment = e.comment;
  node.active_features = e.active_features;
  node.config.weight = e.weight;
  if (e.available_features) node.config.features = *e.available_features;
  if (e.cpu_bind) node.config.cpu_bind = *e.cpu_bind;
  if (e.gres) {
    node.config.gres_text = e.gres->text;
    node.config.gres = e.gres->pools;
  }
  node.power = e.power;
  node.reboot = e.reboot;
  node.extra = e.extra;
  if (node.claim == e.claim && node.given == e.given) return;
  node.claim = e.claim;
  node.given = e.given;
  const auto& configured = (*cluster.config).nodes;
  auto found = std::ranges::find(configured, node.config.name, &NodeConfig::name);
  if (found != configured.end()) set_host(node, *found);
}

void Applier::operator()(const NodeAdded& e) {
  CHECK(!(*cluster.node_ids).contains(e.config.name));
  const NodeId id = cluster.next_node_id;
  add_node(id, e.config);
  set_node_config(cluster.nodes.edit(id), e.config);
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

void Applier::operator()(const NodeRemoved& e) {
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

void Applier::operator()(const PartitionChanged& e) {
  auto& partitions = cluster.partitions.edit();
  auto at = std::find_if(partitions.begin(), partitions.end(),
                         [&](const Partition& p) { return p.name == e.partition.name; });
  if (e.removed) {
    if (at != partitions.end()) partitions.erase(at);
    return;
  }
  if (e.partition.is_default)
    for (Partition& other : partitions) other.is_default = false;
  if (at == partitions.end())
    partitions.push_back(e.partition);
  else
    *at = e.partition;
}

void Applier::operator()(const ReservationChanged& e) {
  auto& all = cluster.reservations.edit();
  std::erase_if(all, [&](const Reservation& r) { return r.name == e.reservation.name; });
  if (e.removed) return;
  auto after = std::upper_bound(
      all.begin(), all.end(), e.reservation,
      [](const Reservation& a, const Reservation& b) { return a.number < b.number; });
  all.insert(after, e.reservation);
  cluster.last_reservation = std::max(cluster.last_reservation, e.reservation.number);
}

void Applier::operator()(const AssociationChanged& e) {
  auto& all = cluster.associations.edit();
  auto at = std::ranges::lower_bound(all, e.association.key, {}, &Association::key);
  const bool known = at != all.end() && at->key == e.association.key;
  if (known && e.removed)
    all.erase(at);
  else if (known)
    *at = e.association;
  else if (!e.removed)
    all.insert(at, e.association);
}

void Applier::operator()(const UsageCounted& e) {
  UsageBook& book = cluster.usage.edit();
  book.as_of = e.as_of;
  if (e.reset) book.past.clear();
  for (const auto& [owner, total] : e.changed) book.past[owner] = total;
  cluster.uncounted = {};
}

void Applier::operator()(const ClockStepped& e) {
  auto move = [&](auto&... times) { ((times += is_set(times) ? e.by : Millis{0}), ...); };
  for (std::uint32_t id : cluster.active.ids()) {
    if (!is_active(cluster.jobs.at(JobId{id}).state)) continue;
    Run& run = cluster.jobs.edit(JobId{id}).run.edit();
    move(run.started, run.suspended_at, run.warned, run.turn_since);
    if (run.ending) move(run.ending->since);
    if (run.preemption) move(run.preemption->since, run.preemption->kill_at);
    for (auto& [step_id, step] : run.steps) move(step.started, step.ended);
  }
  std::vector<NodeId> nodes;
  cluster.nodes.each([&](const Node& node) { nodes.push_back(node.id); });
  for (NodeId id : nodes) {
    Node& node = cluster.nodes.edit(id);
    move(node.power.since, node.reboot.since, node.last_busy);
  }
  UsageBook& book = cluster.usage.edit();
  move(book.as_of);
  for (auto& [owner, use] : book.past) move(use.as_of);
}

}  // namespace muster
