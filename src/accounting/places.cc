// Says which nodes and reservations an event changes, and makes their records.
#include "accounting/places.h"

#include <algorithm>
#include <type_traits>

#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster::accounting {

namespace {

void add(TresAmounts& amounts, const Text& name, std::uint64_t amount) {
  auto at = std::ranges::lower_bound(amounts, name, {}, &TresAmounts::value_type::first);
  if (at == amounts.end() || at->first != name)
    amounts.insert(at, {name, amount});
  else
    at->second += amount;
}

void add_node(TresAmounts& amounts, const Node& node) {
  add(amounts, "billing", node.config.cpus);
  add(amounts, "cpu", node.config.cpus);
  add(amounts, "mem", node.config.memory_mib);
  for (const GresPool& gres : node.config.gres)
    add(amounts, std::string("gres/").append(gres.name.view()), gres.count);
}

TresAmounts held_by(const Cluster& cluster, const Reservation& reservation) {
  TresAmounts amounts;
  for (std::size_t i = 0; i < reservation.nodes.size(); ++i) {
    const Node* node = cluster.nodes.find(reservation.nodes[i]);
    if (!node) continue;
    if (reservation.has_part_of_nodes())
      add(amounts, "cpu", reservation.cpus[i].size());
    else
      add_node(amounts, *node);
  }
  return amounts;
}

// Events that change whether a node is in service, or why it is not.
template <class E>
constexpr bool changes_service =
    std::is_same_v<E, NodeCameUp> || std::is_same_v<E, NodeAnswered> ||
    std::is_same_v<E, NodeFellSilent> || std::is_same_v<E, NodeWentDown> ||
    std::is_same_v<E, NodeDrained> || std::is_same_v<E, NodeUndrained> ||
    std::is_same_v<E, NodeResumed> || std::is_same_v<E, NodeMadeFuture> ||
    std::is_same_v<E, NodeRebootEnded> || std::is_same_v<E, NodeUpdated>;

const Reservation* find(const Cluster& cluster, const Text& name) {
  for (const Reservation& reservation : *cluster.reservations)
    if (reservation.name == name) return &reservation;
  return nullptr;
}

}  // namespace

bool is_out_of_service(const Node& node) {
  if (node.future) return false;
  return node.health == NodeHealth::down || ((node.drain || node.fail) && node.jobs.empty());
}

EventRecord node_record(const Text& cluster, const Node& node, Time at) {
  EventRecord record{.cluster = cluster, .node = node.config.name, .start = at};
  if (!is_out_of_service(node)) return record;
  record.state = upper(node_state_compact(node));
  record.reason = node.reason;
  record.by = node.reason_uid;
  add_node(record.tres, node);
  return record;
}

EventRecord size_record(const Cluster& cluster, Time at) {
  EventRecord record{
      .cluster = cluster.settings().cluster_name, .start = at, .reason = "Cluster Registered TRES"};
  std::vector<std::string> names;
  cluster.nodes.each([&](const Node& node) {
    names.push_back(node.config.name.str());
    add_node(record.tres, node);
    add(record.tres, "node", 1);
  });
  record.nodes = compress_hostlist(names);
  return record;
}

ReservationRecord reservation_record(const Cluster& cluster, const Reservation& reservation) {
  ReservationRecord record{.cluster = cluster.settings().cluster_name,
                           .name = reservation.name,
                           .number = reservation.number,
                           .start = reservation.start,
                           .end = reservation.end,
                           .flags = flags_text(reservation),
                           .users = reservation.users,
                           .accounts = reservation.accounts,
                           .tres = held_by(cluster, reservation)};
  std::vector<std::string> names;
  for (NodeId id : reservation.nodes)
    if (const Node* node = cluster.nodes.find(id)) names.push_back(node->config.name.str());
  record.nodes = compress_hostlist(names);
  return record;
}

SuspensionRecord suspension_record(const Cluster& before, const JobSuspended& event) {
  const Job& job = before.jobs.at(event.job);
  SuspensionRecord record{.job = job.id, .attempt = job.attempt, .start = event.at, .end = {}};
  if (event.resumed) {
    record.start = job.run->suspended_at;
    record.end = event.at;
  }
  return record;
}

void note_places_of(const Cluster& before, const Event& event, AccountingChanges& changes) {
  std::visit(
      [&]<class E>(const E& e) {
        if constexpr (changes_service<E>) changes.nodes.insert(e.node.value);
        if constexpr (std::is_same_v<E, NodesReleased>)
          for (NodeId id : e.nodes)
            if (const Node* node = before.nodes.find(id); node && (node->drain || node->fail))
              changes.nodes.insert(id.value);
        if constexpr (std::is_same_v<E, ConfigLoaded> || std::is_same_v<E, NodeAdded> ||
                      std::is_same_v<E, NodeRemoved>)
          changes.cluster_size = true;
        if constexpr (std::is_same_v<E, ReservationChanged>) {
          const Reservation* old = find(before, e.reservation.name);
          if (old && (e.removed || old->start != e.reservation.start)) {
            changes.reservations.push_back(reservation_record(before, *old));
            changes.reservations.back().gone = true;
          }
          if (!e.removed) changes.reservations.push_back(reservation_record(before, e.reservation));
        }
      },
      event);
}

}  // namespace muster::accounting
