// place: chooses nodes, CPUs, memory and devices for one request from what is free.
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

// What is free on a node for the current request; nullptr if the request may not use the node. The
// answer stays valid during one placement.
using FreeOn = std::function<const Free*(NodeId)>;

// The most that can be free on a node. The node index knows this without a probe.
struct FreeUpperBound {
  std::uint32_t cpus = 0;
  std::uint64_t memory_mib = 0;
  std::uint64_t gpus = 0;   // all types together
  bool untouched = false;   // no job holds anything there
  std::uint64_t rank = 0;   // lower is preferred: powered off or on, then weight
  std::uint32_t place = 0;  // position in the cluster's order
  std::uint32_t kind = 0;   // kind of hardware (sched/timeline/node_index.h)
  bool operator==(const FreeUpperBound&) const = default;
};
constexpr int kWeightBits = 32;  // the lower bits of the rank
using FreeUpperBoundOn = std::function<FreeUpperBound(NodeId)>;

// The nodes that the request could ever use in this partition, whatever is free or down now, in
// order of preference.
std::vector<NodeId> candidates(const Cluster& cluster, const ResourceRequest& request,
                               const Partition& partition);

// Nodes with a lower value are preferred: powered-on ones first, then those with a low weight.
std::pair<bool, std::uint32_t> preference(const Node& node);

// The shares, in the order of the nodes; unset if the request does not fit. Without upper bounds
// the first nodes that suffice are taken; with them those that sched/place/node_segments.h chooses.
std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const ResourceRequest& request,
                                            const std::vector<NodeId>& nodes, const FreeOn& free,
                                            const FreeUpperBoundOn& bound = {});

// The most tasks of the request that fit on this node.
std::uint32_t task_capacity(const Cluster& cluster, const ResourceRequest& request, NodeId node,
                            const Free& free);

// For submission: what the request would get on an empty cluster with all nodes up, or why it can
// never run.
Result<std::vector<NodeShare>> feasible(const Cluster& cluster, const ResourceRequest& request,
                                        const Partition& partition);

}  // namespace muster::sched
