// topology: nodes on as few leaf switches as possible.
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

// The leaf switch of each node, by its id; 0 = it is below none. Empty without a topology.
std::vector<std::uint32_t> leaf_numbers(const std::vector<SwitchNodes>& switches);

// Where a job of so many nodes can be: one list of nodes for each switch that has enough of the
// usable ones below it, lower switches first and of these the tightest. In a list the leaves come
// so that few of them are needed, and no more of the large ones than that takes.
std::vector<std::vector<NodeId>> nodes_by_switch(const std::vector<SwitchNodes>& switches,
                                                 const std::vector<NodeId>& usable,
                                                 std::size_t count);
std::uint32_t leaves_of(const std::vector<SwitchNodes>& switches, const std::vector<NodeId>& nodes);

// "top.s0.n1" and "switch.switch.node": the way to a node.
struct TopologyAddress {
  std::string address, pattern;
};
TopologyAddress topology_address(const Cluster& cluster, std::string_view node);

}  // namespace muster::sched
