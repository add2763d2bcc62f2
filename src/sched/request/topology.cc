// Switches of topology.conf and the nodes below them.
#include "sched/request/topology.h"

#include <algorithm>
#include <map>

namespace muster::sched {

namespace {

bool is_below(const SwitchNodes& s, NodeId node) {
  return std::ranges::binary_search(s.nodes, node);
}

// The order in which leaves are used, given how many usable nodes each has: the largest leaf first,
// until some leaf alone has all nodes that are still needed; then the smallest such leaf.
std::map<std::size_t, std::size_t> turns_of(std::map<std::size_t, std::size_t> company,
                                            std::size_t needed) {
  std::map<std::size_t, std::size_t> turns;
  while (!company.empty()) {
    auto cost = [&](const auto& leaf) {
      return std::pair(leaf.second < needed,
                       leaf.second < needed ? needed - leaf.second : leaf.second);
    };
    const auto best = std::ranges::min_element(company, {}, cost);
    needed -= std::min(needed, best->second);
    turns.emplace(best->first, turns.size());
    company.erase(best);
  }
  return turns;
}

}  // namespace

std::vector<SwitchNodes> switch_nodes(const Cluster& cluster) {
  std::vector<SwitchNodes> all;
  for (const Switch& s : cluster.settings().topology) {
    SwitchNodes entry{.level = s.level, .nodes = {}};
    for (const Text& name : s.nodes)
      if (const Node* node = cluster.find_node(name)) entry.nodes.push_back(node->id);
    std::ranges::sort(entry.nodes);
    all.push_back(std::move(entry));
  }
  return all;
}

std::vector<std::uint32_t> leaf_numbers(const std::vector<SwitchNodes>& switches) {
  std::vector<std::uint32_t> leaves;
  for (std::size_t i = 0; i < switches.size() && switches[i].level == 0; ++i)
    for (NodeId node : switches[i].nodes) {
      if (node.value >= leaves.size()) leaves.resize(node.value + 1);
      leaves[node.value] = static_cast<std::uint32_t>(i) + 1;
    }
  return leaves;
}

std::vector<std::vector<NodeId>> nodes_by_switch(const std::vector<SwitchNodes>& switches,
                                                 const std::vector<NodeId>& usable,
                                                 std::size_t count) {
  struct Place {
    std::size_t rank = 0;  // in order of preference
    std::size_t leaf = 0;
  };
  std::map<NodeId, Place> places;
  for (NodeId id : usable) places[id] = {.rank = places.size()};
  struct Found {
    std::uint32_t level = 0;
    std::vector<NodeId> nodes;
  };
  std::vector<Found> found;
  for (const SwitchNodes& s : switches) {
    Found f{.level = s.level, .nodes = {}};
    for (NodeId id : s.nodes)
      if (places.contains(id)) f.nodes.push_back(id);
    if (s.level == 0)
      for (NodeId id : f.nodes) places[id].leaf = static_cast<std::size_t>(&s - switches.data());
    if (f.nodes.size() >= count) found.push_back(std::move(f));
  }
  std::ranges::stable_sort(found, {},
                           [](const Found& f) { return std::pair(f.level, f.nodes.size()); });
  std::vector<std::vector<NodeId>> lists;
  for (Found& f : found) {
    std::map<std::size_t, std::size_t> company;
    for (NodeId id : f.nodes) ++company[places.at(id).leaf];
    const auto turn = turns_of(std::move(company), count);
    std::ranges::sort(f.nodes, {}, [&](NodeId id) {
      const Place& place = places.at(id);
      return std::pair(turn.at(place.leaf), place.rank);
    });
    lists.push_back(std::move(f.nodes));
  }
  return lists;
}

std::uint32_t leaves_of(const std::vector<SwitchNodes>& switches,
                        const std::vector<NodeId>& nodes) {
  std::uint32_t leaves = 0;
  for (const SwitchNodes& s : switches)
    if (s.level == 0 && std::ranges::any_of(nodes, [&](NodeId id) { return is_below(s, id); }))
      ++leaves;
  return leaves;
}

TopologyAddress topology_address(const Cluster& cluster, std::string_view node) {
  TopologyAddress way{std::string(node), "node"};
  for (const Switch& s : cluster.settings().topology) {
    if (std::ranges::find(s.nodes, node, &Text::view) == s.nodes.end()) continue;
    way.address = s.name.str() + "." + way.address;
    way.pattern = "switch." + way.pattern;
  }
  return way;
}

}  // namespace muster::sched
