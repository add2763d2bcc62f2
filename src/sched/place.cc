#include "sched/place.h"

#include <algorithm>
#include <set>

namespace muster::sched {

namespace {

bool has_features(const Node& node, const Request& request) {
  const auto& have = node.active_features;
  auto has = [&](const Text& f) { return std::find(have.begin(), have.end(), f) != have.end(); };
  for (const Text& f : request.features_all)
    if (!has(f)) return false;
  for (const auto& any : request.features_any)
    if (std::none_of(any.begin(), any.end(), has)) return false;
  return true;
}

// CPUs are handed out by whole cores.
std::uint32_t round_to_cores(const Node& node, std::uint32_t cpus, const Settings& settings) {
  std::uint32_t per_core =
      settings.use_core_granularity ? std::max(1u, node.config.threads_per_core) : 1;
  if (node.config.cpus < node.config.threads_per_core * node.config.cores_per_socket) per_core = 1;
  return (cpus + per_core - 1) / per_core * per_core;
}

class Placer {
 public:
  Placer(const Cluster& cluster, const Request& request, const std::map<NodeId, Free>& free)
      : cluster_(cluster), request_(request), free_(free) {}

  // The most tasks of the request that one node could hold.
  std::uint32_t task_capacity(NodeId id) const {
    const Node& node = cluster_.nodes.at(id);
    const Free& free = free_.at(id);
    if (request_.exclusive && !free.untouched) return 0;
    if (!take_gres(free, 0)) return 0;
    std::uint64_t tasks = free.cpus.size() / request_.cpus_per_task;
    if (request_.overcommit && !free.cpus.empty())
      tasks = std::max<std::uint64_t>(tasks, request_.tasks);
    if (free.cpus.size() < request_.min_cpus_per_node) return 0;
    if (request_.tasks_per_node_max)
      tasks = std::min<std::uint64_t>(tasks, request_.tasks_per_node_max);
    if (request_.gpus_per_task && request_.gpus_per_task->count)
      tasks = std::min(tasks,
                       free_devices(free, *request_.gpus_per_task) / request_.gpus_per_task->count);
    tasks = std::min<std::uint64_t>(tasks, 0xffffffffu);
    auto fits = [&](std::uint32_t n) {
      return memory_for(node, n) <= free.memory_mib && take_gres(free, n);
    };
    while (tasks > 0 && !fits(static_cast<std::uint32_t>(tasks))) --tasks;
    return static_cast<std::uint32_t>(tasks);
  }

  std::uint64_t memory_for(const Node& node, std::uint32_t tasks) const {
    if (request_.memory_per_node_mib)
      return *request_.memory_per_node_mib ? *request_.memory_per_node_mib : node.config.memory_mib;
    if (request_.memory_per_cpu_mib)
      return *request_.memory_per_cpu_mib ? *request_.memory_per_cpu_mib * cpus_for(node, tasks)
                                          : node.config.memory_mib;
    if (request_.memory_per_gpu_mib) return *request_.memory_per_gpu_mib * gpus_for(tasks);
    return 0;
  }

  std::uint32_t cpus_for(const Node& node, std::uint32_t tasks) const {
    if (request_.exclusive) return node.config.cpus;
    std::uint32_t cpus = request_.overcommit ? 1 : tasks * request_.cpus_per_task;
    cpus = std::max(cpus, request_.min_cpus_per_node);
    return round_to_cores(node, cpus, cluster_.settings());
  }

  std::uint64_t gpus_for(std::uint32_t tasks) const {
    std::uint64_t n = 0;
    for (const GresRequest& g : request_.gres_per_node)
      if (g.name == "gpu") n += g.count;
    if (request_.gpus_per_task) n += request_.gpus_per_task->count * tasks;
    if (request_.gpus_total) n += request_.gpus_total->count;
    return n;
  }

  // The devices for this many tasks; requests that overlap ("gpu:3,gpu:v100:2") are served one
  // after the other from what is left.
  std::optional<std::vector<GresShare>> take_gres(Free free, std::uint32_t tasks) const {
    NodeShare share;
    for (const GresRequest& g : request_.gres_per_node)
      if (!take_devices(free, g, g.count, share)) return std::nullopt;
    if (request_.gpus_per_task &&
        !take_devices(free, *request_.gpus_per_task, request_.gpus_per_task->count * tasks, share))
      return std::nullopt;
    return std::move(share.gres);
  }

  std::optional<std::vector<NodeShare>> on(const std::vector<NodeId>& chosen) const {
    auto tasks = distribute(chosen);
    if (!tasks) return std::nullopt;
    std::vector<NodeShare> shares;
    std::uint64_t gpus_left = request_.gpus_total ? request_.gpus_total->count : 0;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const Node& node = cluster_.nodes.at(chosen[i]);
      Free free = free_.at(chosen[i]);
      NodeShare share{.node = chosen[i], .tasks = (*tasks)[i]};
      std::uint32_t cpus = std::min<std::uint32_t>(cpus_for(node, share.tasks),
                                                   static_cast<std::uint32_t>(free.cpus.size()));
      share.cpus = free.cpus.first(cpus);
      share.memory_mib = memory_for(node, share.tasks);
      if (share.memory_mib > free.memory_mib) return std::nullopt;
      auto gres = take_gres(free, share.tasks);
      if (!gres) return std::nullopt;
      share.gres = std::move(*gres);
      for (const GresShare& g : share.gres) take(free, {.gres = {g}});
      if (request_.gpus_total) {
        // Every later node needs at least one of what is left.
        std::uint64_t later = chosen.size() - i - 1;
        if (gpus_left <= later) return std::nullopt;
        std::uint64_t n = std::min(free_devices(free, *request_.gpus_total), gpus_left - later);
        if (n == 0 || !take_devices(free, *request_.gpus_total, n, share)) return std::nullopt;
        gpus_left -= n;
      }
      shares.push_back(std::move(share));
    }
    if (gpus_left > 0) return std::nullopt;
    return shares;
  }

 private:
  // The first node takes what the others, with one task each, leave over.
  std::optional<std::vector<std::uint32_t>> distribute(const std::vector<NodeId>& chosen) const {
    std::vector<std::uint32_t> capacity, tasks;
    for (NodeId id : chosen) capacity.push_back(task_capacity(id));
    for (std::uint32_t c : capacity)
      if (c == 0) return std::nullopt;
    if (request_.tasks_follow_nodes) {
      for (std::uint32_t c : capacity) {
        std::uint32_t each = std::max(1u, request_.tasks_per_node_max);
        if (c < each) return std::nullopt;
        tasks.push_back(each);
      }
      return tasks;
    }
    std::uint64_t left = request_.tasks;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      std::uint64_t later = chosen.size() - i - 1;
      std::uint64_t n = left > later ? std::min<std::uint64_t>(capacity[i], left - later) : 0;
      if (n == 0) return std::nullopt;
      tasks.push_back(static_cast<std::uint32_t>(n));
      left -= n;
    }
    if (left > 0) return std::nullopt;
    return tasks;
  }

  const Cluster& cluster_;
  const Request& request_;
  const std::map<NodeId, Free>& free_;
};

// `count` neighbours in the cluster's order, starting as early as possible.
std::vector<std::vector<NodeId>> runs_of_neighbours(const Cluster& cluster,
                                                    const std::vector<NodeId>& usable,
                                                    std::size_t count) {
  std::set<NodeId> set(usable.begin(), usable.end());
  std::vector<std::vector<NodeId>> runs;
  std::vector<NodeId> run;
  for (NodeId id : cluster.node_order) {
    if (!set.contains(id)) {
      run.clear();
      continue;
    }
    run.push_back(id);
    if (run.size() > count) run.erase(run.begin());
    if (run.size() == count) runs.push_back(run);
  }
  return runs;
}

bool contains_all(const std::vector<NodeId>& chosen, const std::vector<NodeId>& required) {
  return std::all_of(required.begin(), required.end(), [&](NodeId id) {
    return std::find(chosen.begin(), chosen.end(), id) != chosen.end();
  });
}

}  // namespace

std::uint64_t free_devices(const Free& free, const GresRequest& wanted) {
  std::uint64_t n = 0;
  for (const GresShare& g : free.gres)
    if (g.name == wanted.name && (wanted.type.empty() || g.type == wanted.type)) n += g.count;
  return n;
}

bool take_devices(Free& free, const GresRequest& wanted, std::uint64_t count, NodeShare& share) {
  for (GresShare& g : free.gres) {
    if (count == 0) return true;
    if (g.name != wanted.name || (!wanted.type.empty() && g.type != wanted.type) || g.count == 0)
      continue;
    std::uint64_t n = std::min(count, g.count);
    GresShare taken{.name = g.name, .type = g.type, .count = n, .indices = g.indices.first(n)};
    g.count -= n;
    g.indices.subtract(taken.indices);
    share.gres.push_back(std::move(taken));
    count -= n;
  }
  return count == 0;
}

Free all_of(const Node& node) {
  Free free;
  free.cpus = IdSet::range(0, std::max(1u, node.config.cpus) - 1);
  free.memory_mib = node.config.memory_mib;
  for (const GresPool& pool : node.config.gres)
    free.gres.push_back(
        {.name = pool.name, .type = pool.type, .count = pool.count, .indices = pool.indices});
  return free;
}

Free free_of(const Node& node) {
  Free free = all_of(node);
  free.cpus.subtract(node.used_cpus);
  free.memory_mib -= std::min(free.memory_mib, node.used_memory_mib);
  for (GresShare& g : free.gres)
    for (const GresShare& used : node.used_gres) {
      if (used.name != g.name || used.type != g.type) continue;
      g.count -= std::min(g.count, used.count);
      g.indices.subtract(used.indices);
    }
  free.untouched = node.jobs.empty();
  return free;
}

void take(Free& free, const NodeShare& share) {
  free.untouched = false;
  free.cpus.subtract(share.cpus);
  free.memory_mib -= std::min(free.memory_mib, share.memory_mib);
  for (const GresShare& taken : share.gres)
    for (GresShare& g : free.gres) {
      if (g.name != taken.name || g.type != taken.type) continue;
      g.count -= std::min(g.count, taken.count);
      g.indices.subtract(taken.indices);
    }
}

std::vector<NodeId> candidates(const Cluster& cluster, const Request& request,
                               const Partition& partition) {
  std::vector<NodeId> found;
  for (NodeId id : partition.nodes) {
    const Node* node = cluster.nodes.find(id);
    if (!node || node->future) continue;
    if (std::binary_search(request.excluded_nodes.begin(), request.excluded_nodes.end(), id))
      continue;
    if (!has_features(*node, request)) continue;
    found.push_back(id);
  }
  // Light nodes first, as configured; equal ones in the configuration's order.
  std::stable_sort(found.begin(), found.end(), [&](NodeId a, NodeId b) {
    return cluster.nodes.at(a).config.weight < cluster.nodes.at(b).config.weight;
  });
  return found;
}

std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const Request& request,
                                            const std::vector<NodeId>& nodes,
                                            const std::map<NodeId, Free>& free) {
  Placer placer(cluster, request, free);
  std::vector<NodeId> usable;
  for (NodeId id : nodes)
    if (free.contains(id) && placer.task_capacity(id) > 0) usable.push_back(id);
  if (!contains_all(usable, request.required_nodes)) return std::nullopt;

  std::uint32_t most =
      std::min<std::uint32_t>(request.max_nodes, static_cast<std::uint32_t>(usable.size()));
  for (std::uint32_t count = request.min_nodes; count <= most; ++count) {
    if (request.contiguous) {
      for (const auto& run : runs_of_neighbours(cluster, usable, count))
        if (contains_all(run, request.required_nodes))
          if (auto shares = placer.on(run)) return shares;
      continue;
    }
    // The required nodes, then the first others; if these hold too few tasks, the roomiest ones.
    std::vector<NodeId> others;
    for (NodeId id : usable)
      if (!std::binary_search(request.required_nodes.begin(), request.required_nodes.end(), id))
        others.push_back(id);
    auto choose = [&](const std::vector<NodeId>& from) -> std::optional<std::vector<NodeShare>> {
      std::vector<NodeId> chosen = request.required_nodes;
      for (NodeId id : from) {
        if (chosen.size() >= count) break;
        chosen.push_back(id);
      }
      if (chosen.size() != count) return std::nullopt;
      std::sort(chosen.begin(), chosen.end());
      return placer.on(chosen);
    };
    if (auto shares = choose(others)) return shares;
    std::stable_sort(others.begin(), others.end(), [&](NodeId a, NodeId b) {
      return placer.task_capacity(a) > placer.task_capacity(b);
    });
    if (auto shares = choose(others)) return shares;
  }
  return std::nullopt;
}

Result<void> feasible(const Cluster& cluster, const Request& request, const Partition& partition) {
  std::vector<NodeId> nodes = candidates(cluster, request, partition);
  if (!contains_all(nodes, request.required_nodes))
    return fail(ErrorCode::requested_node_config_unavailable);
  std::map<NodeId, Free> free;
  for (NodeId id : nodes) free[id] = all_of(cluster.nodes.at(id));
  Request fewer = request;
  if (request.min_nodes > partition.nodes.size() && !nodes.empty()) {
    // More nodes than the partition has is accepted (it may grow); one node must be able to serve.
    fewer.min_nodes = fewer.max_nodes = 1;
    fewer.tasks = 1;
    fewer.required_nodes.clear();
  }
  if (place(cluster, fewer, nodes, free)) return {};
  std::uint64_t most_memory = 0;
  for (NodeId id : nodes)
    most_memory = std::max(most_memory, cluster.nodes.at(id).config.memory_mib);
  if (fewer.memory_per_node_mib.value_or(0) > most_memory && !nodes.empty())
    return fail(ErrorCode::insufficient_memory,
                "no node has more than " + std::to_string(most_memory) + "M");
  return fail(ErrorCode::requested_node_config_unavailable);
}

}  // namespace muster::sched
