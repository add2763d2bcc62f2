// MaxMemPerCPU and MaxMemPerNode: how much memory a partition lets a job have.
#pragma once

#include <cstdint>
#include <optional>

#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::sched {

// The partition's, or else the cluster's.
struct MemoryLimit {
  std::optional<std::uint64_t> per_cpu_mib, per_node_mib;
};
MemoryLimit memory_limit(const Cluster& cluster, const Partition& partition);

// However it is placed, it holds more on some node than MaxMemPerNode allows.
bool exceeds_memory_limit(const Cluster& cluster, const Request& request,
                          const Partition& partition);

}  // namespace muster::sched
