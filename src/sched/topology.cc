#include "sched/topology.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace muster::sched {

namespace {

bool is_below(const SwitchNodes& s, NodeId node) {
  return std::ranges::binary_search(s.nodes, node);
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

std::vector<std::vector<NodeId>> nodes_by_switch(const std::vector<SwitchNodes>& switches,
                                                 const std::vector<NodeId>& usable,
                                                 std::size_t count) {
  struct Place {
    std::size_t rank = 0;               // in the order of preference
    std::size_t leaf = 0, company = 0;  // its leaf, and the usable nodes there
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
      for (NodeId id : f.nodes) {
        places[id].leaf = static_cast<std::size_t>(&s - switches.data());
        places[id].company = f.nodes.size();
      }
    if (f.nodes.size() >= count) found.push_back(std::move(f));
  }
  std::ranges::stable_sort(found, {},
                           [](const Found& f) { return std::pair(f.level, f.nodes.size()); });
  std::vector<std::vector<NodeId>> lists;
  for (Found& f : found) {
    std::ranges::sort(f.nodes, {}, [&](NodeId id) {
      const Place& place = places.at(id);
      return std::tuple(usable.size() - place.company, place.leaf, place.rank);
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
