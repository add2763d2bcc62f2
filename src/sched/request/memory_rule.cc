// Compares the least memory that a request needs on some node with MaxMemPerNode.
#include "sched/request/memory_rule.h"

#include <algorithm>

#include "base/saturating.h"

namespace muster::sched {

namespace {

// The smallest count among the partition's nodes.
template <class Count>
std::uint64_t least_of(const Cluster& cluster, const Partition& partition, Count count) {
  std::uint64_t least = ~std::uint64_t{0};
  for (NodeId id : partition.nodes)
    least = std::min<std::uint64_t>(least, count(cluster.nodes.at(id)));
  return partition.nodes.empty() ? 0 : least;
}

// The fewest CPUs that the job can have on the node where it has most of them.
std::uint64_t fewest_cpus(const Cluster& cluster, const ResourceRequest& r,
                          const Partition& partition) {
  if (r.whole_nodes)
    return least_of(cluster, partition, [](const Node& n) { return n.config.cpus; });
  const std::uint64_t nodes = std::max(1u, r.max_nodes);
  const std::uint64_t tasks =
      std::max<std::uint64_t>(r.tasks_per_node, ceil_divide(r.tasks, nodes));
  const std::uint64_t cpus =
      r.overcommit ? r.cpus_per_task : saturating_multiply(tasks, r.cpus_per_task);
  return std::max<std::uint64_t>(cpus, r.min_cpus_per_node);
}

std::uint64_t least_memory_mib(const Cluster& cluster, const ResourceRequest& r,
                               const Partition& partition) {
  const bool whole = r.memory_per_node_mib == 0u || r.memory_per_cpu_mib == 0u;
  if (whole) return least_of(cluster, partition, [](const Node& n) { return n.config.memory_mib; });
  if (r.memory_per_node_mib) return *r.memory_per_node_mib;
  if (r.memory_per_cpu_mib)
    return saturating_multiply(*r.memory_per_cpu_mib, fewest_cpus(cluster, r, partition));
  return r.memory_per_gpu_mib.value_or(0);
}

}  // namespace

MemoryLimit memory_limit(const Cluster& cluster, const Partition& partition) {
  if (partition.max_memory_per_cpu_mib || partition.max_memory_per_node_mib)
    return {partition.max_memory_per_cpu_mib, partition.max_memory_per_node_mib};
  const Settings& s = cluster.settings();
  return {s.max_memory_per_cpu_mib, s.max_memory_per_node_mib};
}

bool exceeds_memory_limit(const Cluster& cluster, const ResourceRequest& request,
                          const Partition& partition) {
  const auto most = memory_limit(cluster, partition).per_node_mib;
  return most && least_memory_mib(cluster, request, partition) > *most;
}

}  // namespace muster::sched
