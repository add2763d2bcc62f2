// Applies events of the configuration, partitions, reservations, associations, usage and the clock.
#include <algorithm>

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
    set_config(cluster.nodes.edit(id), wanted);
    kept[wanted.name] = id;
    order.push_back(id);
  }
  cluster.node_order = Cow(std::move(order));
  for (auto& [name, id] : ids)
    if (!kept.contains(name)) cluster.nodes.erase(id);
  ids = std::move(kept);
  load_partitions(config);
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

namespace {

// Rows that are sorted by a key: the row comes in place of the one with its key, or that one goes.
template <class Row, class Key>
void put_sorted(std::vector<Row>& rows, const Row& row, Key Row::* key, bool removed) {
  auto at = std::ranges::lower_bound(rows, row.*key, {}, key);
  const bool known = at != rows.end() && (*at).*key == row.*key;
  if (known && removed)
    rows.erase(at);
  else if (known)
    *at = row;
  else if (!removed)
    rows.insert(at, row);
}

}  // namespace

void Applier::operator()(const AssociationChanged& e) {
  put_sorted(cluster.associations.edit(), e.association, &Association::key, e.removed);
}

void Applier::operator()(const QosChanged& e) {
  put_sorted(cluster.qos.edit(), e.qos, &Qos::name, e.removed);
}

void Applier::operator()(const UserAccessChanged& e) {
  const bool is_special = e.access != UserAccess{.user = e.access.user};
  put_sorted(cluster.users.edit(), e.access, &UserAccess::user, !is_special);
}

void Applier::operator()(const CoordinatorsChanged& e) {
  put_sorted(cluster.coordinators.edit(), e.coordinators, &Coordinators::account,
             e.coordinators.users.empty());
}

void Applier::operator()(const TriggerChanged& e) {
  auto& all = cluster.triggers.edit();
  auto at = std::ranges::lower_bound(all, e.trigger.id, {}, &Trigger::id);
  const bool known = at != all.end() && at->id == e.trigger.id;
  if (known && e.removed)
    all.erase(at);
  else if (known)
    *at = e.trigger;
  else if (!e.removed)
    all.insert(at, e.trigger);
  cluster.last_trigger = std::max(cluster.last_trigger, e.trigger.id);
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
    move(run.started, run.suspended_at, run.warned, run.turn_since, run.noticed, run.drain_noticed);
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
  if (!(*cluster.triggers).empty())
    for (Trigger& trigger : cluster.triggers.edit()) move(trigger.due);
  UsageBook& book = cluster.usage.edit();
  move(book.as_of);
  for (auto& [owner, use] : book.past) move(use.as_of);
}

}  // namespace muster
