// place: chooses nodes, CPUs, memory and devices for one request out of what is free.
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "sched/request.h"

namespace muster::sched {

// What a node has to give.
struct Free {
  IdSet cpus;
  std::uint64_t memory_mib = 0;
  std::vector<GresShare> gres;  // free devices by name and type
  bool untouched = true;        // nobody holds anything here
};
Free free_of(const Node& node);
Free all_of(const Node& node);
void take(Free& free, const NodeShare& share);
std::uint64_t free_devices(const Free& free, const GresRequest& wanted);
// False where there are too few; what was taken then is the caller's to drop.
bool take_devices(Free& free, const GresRequest& wanted, std::uint64_t count, NodeShare& share);

// The nodes that the request could ever use in this partition, whatever is free or down now.
std::vector<NodeId> candidates(const Cluster& cluster, const Request& request,
                               const Partition& partition);

// The shares, in the order of the nodes, or nothing if it does not fit into `free` (only the nodes
// that have an entry there are considered).
std::optional<std::vector<NodeShare>> place(const Cluster& cluster, const Request& request,
                                            const std::vector<NodeId>& nodes,
                                            const std::map<NodeId, Free>& free);

// Could it run on an empty cluster with all nodes up? Why not, for submission to say.
Result<void> feasible(const Cluster& cluster, const Request& request, const Partition& partition);

}  // namespace muster::sched
