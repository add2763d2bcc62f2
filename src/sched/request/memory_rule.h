// memory_rule: MaxMemPerCPU and MaxMemPerNode, the most memory that a job may have in a partition.
#pragma once

#include <cstdint>
#include <optional>

#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::sched {

// The partition's limits, or else the cluster's.
struct MemoryLimit {
  std::optional<std::uint64_t> per_cpu_mib, per_node_mib;
};
MemoryLimit memory_limit(const Cluster& cluster, const Partition& partition);

// However the job is placed, it holds more than MaxMemPerNode on some node.
bool exceeds_memory_limit(const Cluster& cluster, const ResourceRequest& request,
                          const Partition& partition);

}  // namespace muster::sched
