// place: chooses nodes, CPUs, memory and devices for one request out of what is free.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "sched/place/free.h"
#include "sched/request/request.h"

namespace muster::sched {

// What a node has to give to the request at hand; nullptr where it may not use the node. The answer
// stays valid while one placement is made.
using FreeOn = std::function<const Free*(NodeId)>;

// What the index knows of a node without a question: it has this at most.
struct Rough {
  std::uint32_t cpus = 0;
  std::uint64_t memory_mib = 0;
  std::uint64_t gpus = 0;   // of all types
  bool untouched = false;   // nobody holds anything there
  std::uint64_t rank = 0;   // nodes of a lower one are preferred: off or on, and the weight
  std::uint32_t place = 0;  // in the cluster's order
  std::uint32_t kind = 0;   // of hardware (sched/timeline/node_index.h)
  bool operator==(const Rough&) const = default;
};
constexpr int kWeightBits = 32;  // of the rank
using RoughOn = std::function<Rough(NodeId)>;

// The nodes that the request could ever use in this partition, whatever is free or down now, in the
// order of preference.
std::vector<NodeId> candidates(const Cluster& cluster, const Request& request,
                               const Partition& partition);

// Nodes that are on come first, then light ones.
std::pair<bool, std::uint32_t> preference(const Node& node);

// The shares, in the order of the nodes, or nothing if it does not fit. Without rough numbers the
// first nodes that suffice are taken; with them those that sched/place/node_runs.h chooses.
std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const Request& request,
                                            const std::vector<NodeId>& nodes, const FreeOn& free,
                                            const RoughOn& rough = {});

// The most tasks of the request that this node could hold.
std::uint32_t task_capacity(const Cluster& cluster, const Request& request, NodeId node,
                            const Free& free);

// What it would get on an empty cluster with all nodes up, or why it could not run there, for
// submission to say.
Result<std::vector<NodeShare>> feasible(const Cluster& cluster, const Request& request,
                                        const Partition& partition);

}  // namespace muster::sched
