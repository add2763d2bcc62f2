// place: chooses nodes, CPUs, memory and devices for one request out of what is free.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "sched/free.h"
#include "sched/request.h"

namespace muster::sched {

// What a node has to give to the request at hand; nullptr where it may not use the node. The answer
// stays valid while one placement is made.
using FreeOn = std::function<const Free*(NodeId)>;

// The nodes that the request could ever use in this partition, whatever is free or down now, in the
// order of preference.
std::vector<NodeId> candidates(const Cluster& cluster, const Request& request,
                               const Partition& partition);

// Nodes that are on come first, then light ones.
std::pair<bool, std::uint32_t> preference(const Node& node);

// The shares, in the order of the nodes, or nothing if it does not fit.
std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const Request& request,
                                            const std::vector<NodeId>& nodes, const FreeOn& free);

// The most tasks of the request that this node could hold.
std::uint32_t task_capacity(const Cluster& cluster, const Request& request, NodeId node,
                            const Free& free);

// What it would get on an empty cluster with all nodes up, or why it could not run there, for
// submission to say.
Result<std::vector<NodeShare>> feasible(const Cluster& cluster, const Request& request,
                                        const Partition& partition);

}  // namespace muster::sched
