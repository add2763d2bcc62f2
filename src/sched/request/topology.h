// topology: picks nodes on as few leaf switches as possible.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct SwitchNodes {
  std::uint32_t level = 0;
  std::vector<NodeId> nodes;  // all below it, ascending
};
// As configured, leaves first; empty without a topology.
std::vector<SwitchNodes> switch_nodes(const Cluster& cluster);

// The leaf switch of each node, by node id, numbered from 1; 0 = none. Empty without a topology.
std::vector<std::uint32_t> leaf_numbers(const std::vector<SwitchNodes>& switches);

// Where a job of `count` nodes can be placed: one list of nodes for each switch with enough usable
// nodes below it. Lower switches come first, and among these the ones with fewest nodes. Within a
// list the leaves are ordered so that the first `count` nodes are on few leaves, small ones if
// possible.
std::vector<std::vector<NodeId>> nodes_by_switch(const std::vector<SwitchNodes>& switches,
                                                 const std::vector<NodeId>& usable,
                                                 std::size_t count);
std::uint32_t leaves_of(const std::vector<SwitchNodes>& switches, const std::vector<NodeId>& nodes);

// The path to a node: "top.s0.n1" and "switch.switch.node".
struct TopologyAddress {
  std::string address, pattern;
};
TopologyAddress topology_address(const Cluster& cluster, std::string_view node);

}  // namespace muster::sched
