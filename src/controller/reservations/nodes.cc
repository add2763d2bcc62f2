// Chooses the nodes and cores of a reservation, and replacements for them.
#include <algorithm>

#include "controller/reservations/draft.h"
#include "sched/place/free.h"
#include "sched/request/features.h"
#include "sched/timeline/reserved.h"

namespace muster::controller {

namespace {

using Draft = ReservationDraft;

// When a reservation holds its nodes: its first time and, by its flags, the repetitions.
struct Occasions {
  Reservation at;  // only flags and times are used
  explicit Occasions(const Reservation& r) {
    at.start = r.start;
    at.end = r.end;
    at.flags = r.flags;
  }
  void move_to(Time start) {
    at.end += start - at.start;
    at.start = start;
  }
  // All repeating reservations have the same pattern every week, so whole weeks can be skipped.
  void catch_up_with(const Occasions& later) {
    if (next_occasion(at) && at.end < later.at.start)
      move_to(at.start + kWeek * ((later.at.start - at.end) / kWeek));
  }
  static constexpr Millis kWeek{std::chrono::days{7}};
};

bool at_the_same_time(const Reservation& one, const Reservation& other) {
  if (one.has("TIME_FLOAT") || other.has("TIME_FLOAT")) return true;
  Occasions a(one), b(other);
  a.catch_up_with(b);
  b.catch_up_with(a);
  const Time last = std::max(a.at.start, b.at.start) + 2 * Occasions::kWeek;
  while (a.at.start >= b.at.end || b.at.start >= a.at.end) {
    Occasions& first = a.at.start < b.at.start ? a : b;
    const auto next = next_occasion(first.at);
    if (!next || *next > last) return false;
    first.move_to(*next);
  }
  return true;
}

// CPUs of the node that no other reservation holds at that time.
IdSet unreserved_cpus(const Cluster& cluster, const Reservation& wanted, const Node& node) {
  IdSet cpus = sched::all_of(node).cpus;
  for (const Reservation& other : *cluster.reservations) {
    if (other.name == wanted.name || may_overlap(other, wanted) || !other.holds_node(node.id) ||
        !at_the_same_time(other, wanted))
      continue;
    if (const IdSet* part = other.cpus_on(node.id))
      cpus.subtract(*part);
    else
      return {};
  }
  return cpus;
}

// CPUs that jobs outside of the reservation will still hold when it begins.
IdSet busy_cpus(const Cluster& cluster, const Reservation& wanted, const Node& node, Time now) {
  IdSet cpus;
  if (wanted.has("IGNORE_JOBS")) return cpus;
  for (std::uint32_t id : node.jobs.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (job.run->reservation == wanted.name || sched::leaves_at(cluster, job, now) <= wanted.start)
      continue;
    for (const NodeShare& share : job.run->allocation)
      if (share.node == node.id) cpus.merge(share.cpus);
  }
  return cpus;
}

bool is_whole(const Node& node, const IdSet& cpus) {
  return cpus.size() == sched::all_of(node).cpus.size();
}

bool is_free(const Draft& d, const Node& node) {
  return is_whole(node, unreserved_cpus(d.cluster, d.r, node)) &&
         busy_cpus(d.cluster, d.r, node, d.now).empty();
}

Result<void> check_nodes(const Draft& d) {
  for (NodeId id : d.r.nodes) {
    const Node& node = d.cluster.nodes.at(id);
    if (!is_whole(node, unreserved_cpus(d.cluster, d.r, node)))
      return fail(ErrorCode::reservation_overlap);
    if (!busy_cpus(d.cluster, d.r, node, d.now).empty()) return fail(ErrorCode::nodes_busy);
  }
  return {};
}

// --- cores ---

// CPUs of the first `count` cores that are wholly free; fewer if there are not enough.
IdSet free_cores(const Draft& d, const Node& node, std::uint64_t count) {
  IdSet free = unreserved_cpus(d.cluster, d.r, node);
  free.subtract(busy_cpus(d.cluster, d.r, node, d.now));
  const std::uint32_t threads = sched::cpus_per_core(node);
  IdSet chosen;
  for (std::uint32_t cpu = 0; cpu + threads <= node.config.cpus && count > 0; cpu += threads) {
    IdSet core = IdSet::range(cpu, cpu + threads - 1);
    if (free.intersect(core).size() == threads) {
      chosen.merge(core);
      --count;
    } else if (d.r.has("FIRST_CORES")) {
      break;
    }
  }
  return chosen;
}

Result<std::vector<NodeId>> suitable_nodes(Draft& d) {
  const Partition* partition = d.r.partition.empty() ? d.cluster.default_partition()
                                                     : d.cluster.find_partition(d.r.partition);
  if (!partition)
    return fail(d.r.partition.empty() ? ErrorCode::no_default_partition
                                      : ErrorCode::invalid_partition);
  auto features = sched::parse_constraint(d.cluster, d.r.features);
  if (!features) return std::unexpected(features.error());
  d.r.partition = partition->name;
  std::vector<NodeId> nodes;
  for (NodeId id : partition->nodes) {
    const Node& node = d.cluster.nodes.at(id);
    const bool usable = is_available(node) || (d.r.has("MAINT") && !node.future);
    if (usable && sched::has_features(node, features->each)) nodes.push_back(id);
  }
  return nodes;
}

void take_cores(Draft& d, NodeId node, IdSet cpus) {
  d.r.nodes.push_back(node);
  d.r.cpus.push_back(std::move(cpus));
}

// A number of cores on each node.
Result<void> cores_of_each(Draft& d, const std::vector<NodeId>& nodes) {
  std::size_t next = 0;
  for (NodeId id : nodes) {
    if (next == d.core_counts.size()) break;
    const Node& node = d.cluster.nodes.at(id);
    IdSet cpus = free_cores(d, node, d.core_counts[next]);
    if (cpus.size() == std::uint64_t{d.core_counts[next]} * sched::cpus_per_core(node)) {
      take_cores(d, id, std::move(cpus));
      ++next;
    } else if (d.nodes_named) {
      return fail(ErrorCode::nodes_busy);
    }
  }
  if (next < d.core_counts.size()) return fail(ErrorCode::nodes_busy);
  return {};
}

// A number of cores in total: on the requested number of nodes, or on the first nodes with free
// cores.
Result<void> cores_in_all(Draft& d, const std::vector<NodeId>& nodes) {
  std::uint64_t left = d.core_counts.front();
  const std::size_t wanted = d.nodes_named ? nodes.size() : d.node_count.value_or(0);
  for (NodeId id : nodes) {
    if (left == 0) break;
    const std::size_t later = wanted > d.r.nodes.size() ? wanted - d.r.nodes.size() : 1;
    const Node& node = d.cluster.nodes.at(id);
    IdSet cpus = free_cores(d, node, wanted == 0 ? left : (left + later - 1) / later);
    if (cpus.empty()) continue;
    left -= cpus.size() / sched::cpus_per_core(node);
    take_cores(d, id, std::move(cpus));
    if (d.r.nodes.size() == wanted && left > 0) return fail(ErrorCode::nodes_busy);
  }
  if (left > 0 || d.r.nodes.size() < wanted) return fail(ErrorCode::nodes_busy);
  return {};
}

void sort_with_cpus(Reservation& r) {
  std::vector<std::pair<NodeId, IdSet>> both;
  for (std::size_t i = 0; i < r.nodes.size(); ++i)
    both.emplace_back(r.nodes[i], std::move(r.cpus[i]));
  std::ranges::sort(both, {}, [](const auto& entry) { return entry.first; });
  r.nodes.clear();
  r.cpus.clear();
  for (auto& [node, cpus] : both) {
    r.nodes.push_back(node);
    r.cpus.push_back(std::move(cpus));
  }
}

Result<void> choose_cores(Draft& d) {
  std::vector<NodeId> nodes = d.r.nodes;
  auto suitable = suitable_nodes(d);
  if (!suitable) return std::unexpected(suitable.error());
  if (!d.nodes_named) nodes = std::move(*suitable);
  d.r.nodes.clear();
  auto ok = d.core_counts.size() > 1 ? cores_of_each(d, nodes) : cores_in_all(d, nodes);
  if (!ok) return ok;
  sort_with_cpus(d.r);
  return {};
}

// --- whole nodes ---

// Present nodes stay; more are added, or the first ones removed.
Result<void> choose_by_count(Draft& d) {
  std::vector<NodeId> chosen = d.r.nodes;
  const std::uint32_t count = *d.node_count;
  if (chosen.size() > count)
    chosen.erase(chosen.begin(), chosen.end() - static_cast<std::ptrdiff_t>(count));
  auto suitable = suitable_nodes(d);
  if (!suitable) return std::unexpected(suitable.error());
  for (NodeId id : *suitable) {
    if (chosen.size() >= count) break;
    if (std::ranges::find(chosen, id) == chosen.end() && is_free(d, d.cluster.nodes.at(id)))
      chosen.push_back(id);
  }
  if (chosen.size() < count) return fail(ErrorCode::nodes_busy);
  std::ranges::sort(chosen);
  d.r.nodes = std::move(chosen);
  return {};
}

Result<void> choose_of_partition(Draft& d) {
  const Partition* partition = d.cluster.find_partition(d.r.partition);
  if (!partition || !d.nodes_named)
    return fail("PART_NODES flag requires specifying a Partition and ALL nodes");
  std::erase_if(d.r.flags, [](const Text& f) { return f == "ALL_NODES"; });
  d.r.nodes = partition->nodes;
  std::ranges::sort(d.r.nodes);
  return check_nodes(d);
}

}  // namespace

Result<void> choose_reserved_nodes(ReservationDraft& d) {
  const bool replaces = d.r.has("REPLACE") || d.r.has("REPLACE_DOWN");
  if (replaces && d.r.has("SPEC_NODES")) return fail(ErrorCode::invalid_node_name);
  if (!d.core_counts.empty()) return choose_cores(d);
  // A reservation of all nodes of a partition follows changes of the partition.
  if (d.create && d.r.has("ALL_NODES") && !d.r.partition.empty() && !d.r.has("PART_NODES"))
    d.r.flags.emplace_back("PART_NODES");
  if (d.create && d.r.has("PART_NODES")) return choose_of_partition(d);
  if (d.nodes_named) {
    d.r.cpus.clear();
    return check_nodes(d);
  }
  if (d.node_count) {
    if (d.r.has_part_of_nodes()) return fail("Core-based reservation can not be updated");
    return choose_by_count(d);
  }
  if (d.create && !d.r.has("ANY_NODES")) return fail(ErrorCode::invalid_node_name);
  if (d.time_changed && !d.r.has_part_of_nodes()) return check_nodes(d);
  return {};
}

std::optional<std::vector<NodeId>> replaced_nodes(const Cluster& cluster, const Reservation& r,
                                                  Time now) {
  if (r.has("ALL_NODES") || r.has("PART_NODES")) {
    const Partition* partition = cluster.find_partition(r.partition);
    std::vector<NodeId> nodes =
        r.has("ALL_NODES") || !partition ? *cluster.node_order : partition->nodes;
    std::ranges::sort(nodes);
    return nodes == r.nodes ? std::nullopt : std::optional(std::move(nodes));
  }
  if (r.has("SPEC_NODES") || r.has("STATIC") || r.has_part_of_nodes() || r.nodes.empty())
    return std::nullopt;
  ReservationDraft d{.cluster = cluster, .now = now, .r = r};
  std::erase_if(d.r.nodes, [&](NodeId id) {
    const Node& node = cluster.nodes.at(id);
    return !(is_available(node) || r.has("MAINT")) || (r.has("REPLACE") && !node.jobs.empty());
  });
  const std::vector<NodeId> kept = d.r.nodes;
  if (kept.size() == r.nodes.size()) return std::nullopt;
  auto suitable = suitable_nodes(d);
  if (!suitable) return std::nullopt;
  // If too few nodes are free, the old ones stay: they may come back.
  for (NodeId id : *suitable)
    if (d.r.nodes.size() < r.nodes.size() && !r.holds_node(id) &&
        cluster.nodes.at(id).jobs.empty() && is_free(d, cluster.nodes.at(id)))
      d.r.nodes.push_back(id);
  for (NodeId id : r.nodes)
    if (d.r.nodes.size() < r.nodes.size() && std::ranges::find(kept, id) == kept.end())
      d.r.nodes.push_back(id);
  std::ranges::sort(d.r.nodes);
  return d.r.nodes == r.nodes ? std::nullopt : std::optional(std::move(d.r.nodes));
}

}  // namespace muster::controller
