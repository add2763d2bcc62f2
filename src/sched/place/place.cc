// Candidates of a request, and the order in which ways to place it are tried.
#include "sched/place/place.h"

#include <algorithm>
#include <map>
#include <set>

#include "sched/place/impossible.h"
#include "sched/place/node_fit.h"
#include "sched/place/placer.h"

namespace muster::sched {

namespace {

bool is_candidate(const Cluster& cluster, const ResourceRequest& request, NodeId id) {
  const Node* node = cluster.nodes.find(id);
  if (!node || node->future) return false;
  if (std::ranges::binary_search(request.excluded_nodes, id)) return false;
  return has_features(*node, request.constraint.each) ||
         (!request.preferred.empty() && has_features(*node, request.preferred.each));
}

std::optional<std::vector<NodeShare>> place_with(const Constraint& constraint,
                                                 const Cluster& cluster, ResourceRequest request,
                                                 const std::vector<NodeId>& nodes,
                                                 const FreeOn& free,
                                                 const FreeUpperBoundOn& bound) {
  request.constraint = constraint;
  return Placer(cluster, request, free, bound).run(having(cluster, constraint.each, nodes));
}

}  // namespace

std::vector<NodeId> candidates(const Cluster& cluster, const ResourceRequest& request,
                               const Partition& partition) {
  std::vector<NodeId> found;
  for (NodeId id : partition.nodes)
    if (is_candidate(cluster, request, id)) found.push_back(id);
  // Nodes of equal rank stay in the configuration's order.
  auto rank = [&](NodeId id) { return preference(cluster.nodes.at(id)); };
  if (!std::ranges::is_sorted(found, {}, rank)) std::ranges::stable_sort(found, {}, rank);
  return found;
}

std::pair<bool, std::uint32_t> preference(const Node& node) {
  return {node.power.phase != PowerPhase::on, node.config.weight};
}

// Tries GPUs close to their CPUs first, but not at the price of more nodes.
static ResourceRequest with_gpus_near(const ResourceRequest& request) {
  ResourceRequest near = request;
  near.near_first = false;
  near.enforce_binding = true;
  near.max_nodes = near.min_nodes;
  return near;
}

// With a topology, a single node is found faster than a spread below switches.
static bool may_be_on_one_node(const ResourceRequest& request) {
  return request.topology && request.min_nodes == 1 && !request.as_many_nodes &&
         request.constraint.counts.empty() && request.tasks_on_required.empty();
}
static ResourceRequest on_one_node(const ResourceRequest& request) {
  ResourceRequest one = request;
  one.max_nodes = 1;
  one.topology = nullptr;
  one.near_first = false;
  return one;
}

std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const ResourceRequest& request,
                                            const std::vector<NodeId>& nodes, const FreeOn& free,
                                            const FreeUpperBoundOn& bound) {
  if (request.near_first)
    if (auto shares = place(cluster, with_gpus_near(request), nodes, free, bound)) return shares;
  if (may_be_on_one_node(request))
    if (auto shares = place(cluster, on_one_node(request), nodes, free, bound)) return shares;
  if (request.preferred.empty()) return Placer(cluster, request, free, bound).run(nodes);
  if (auto shares = place_with(request.preferred, cluster, request, nodes, free, bound))
    return shares;
  return place_with(request.constraint, cluster, request, nodes, free, bound);
}

std::uint32_t task_capacity(const Cluster& cluster, const ResourceRequest& request, NodeId node,
                            const Free& free) {
  return NodeFit(request, cluster.nodes.at(node), free).task_capacity();
}

namespace {

// Mostly any nodes will do, and a large cluster need not be searched to say so. Tries the first
// min_nodes candidates, then a few more.
std::optional<std::vector<NodeShare>> on_first_candidates(const Cluster& cluster,
                                                          const ResourceRequest& request,
                                                          const Partition& partition,
                                                          const FreeOn& free) {
  constexpr std::size_t kSpare = 8;
  if (!request.required_nodes.empty() || request.topology) return std::nullopt;
  std::vector<NodeId> first;
  for (NodeId id : partition.nodes) {
    if (!is_candidate(cluster, request, id)) continue;
    first.push_back(id);
    if (first.size() == request.min_nodes)
      if (auto shares = place(cluster, request, first, free)) return shares;
    if (first.size() == request.min_nodes + kSpare) break;
  }
  return place(cluster, request, first, free);
}

}  // namespace

Result<std::vector<NodeShare>> feasible(const Cluster& cluster, const ResourceRequest& request,
                                        const Partition& partition) {
  std::map<NodeId, Free> empty;
  auto free = [&](NodeId id) -> const Free* {
    auto [at, fresh] = empty.try_emplace(id);
    if (fresh) at->second = all_of(cluster.nodes.at(id));
    return &at->second;
  };
  ResourceRequest fewer = request;
  fewer.switches_max = 0;  // jobs wait for --switches only for a time
  std::vector<SwitchNodes> topology;
  if (request.max_nodes > 1) topology = switch_nodes(cluster);
  if (!topology.empty()) fewer.topology = &topology;
  if (auto shares = on_first_candidates(cluster, fewer, partition, free)) return std::move(*shares);
  std::vector<NodeId> nodes = candidates(cluster, request, partition);
  bool has_required = std::all_of(
      request.required_nodes.begin(), request.required_nodes.end(),
      [&](NodeId id) { return std::find(nodes.begin(), nodes.end(), id) != nodes.end(); });
  auto impossible = [&] {
    return std::unexpected(why_impossible(cluster, request, partition, nodes));
  };
  if (!has_required) return impossible();
  if (request.min_nodes > partition.nodes.size() && !nodes.empty() && !request.nodes_follow_tasks) {
    // More nodes than the partition has are accepted, since it may grow. One node must suit the
    // job.
    fewer.min_nodes = fewer.max_nodes = 1;
    fewer.tasks = 1;
    fewer.required_nodes.clear();
  }
  if (auto shares = place(cluster, fewer, nodes, free)) return std::move(*shares);
  return impossible();
}

}  // namespace muster::sched
