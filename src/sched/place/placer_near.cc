// Chooses nodes that are close to each other: below one switch, or neighbours.
#include <algorithm>
#include <map>
#include <tuple>

#include "sched/place/placer.h"

namespace muster::sched {

// Tries nodes of low weight first, and adds heavier ones until the job fits.
Placer::Shares Placer::lightest_first() {
  const std::vector<Usable> all = std::move(usable_);
  auto weight = [&](const Usable& u) { return preference(cluster_.nodes.at(u.node)); };
  for (auto end = all.begin(); end != all.end();) {
    const auto heaviest = weight(*end);
    while (end != all.end() && weight(*end) == heaviest) ++end;
    usable_.assign(all.begin(), end);
    if (auto shares = place_on_usable()) return shares;
  }
  return std::nullopt;
}

// Chooses nodes below one switch, on as few leaves as possible.
Placer::Shares Placer::close_together(std::uint32_t count, Order order) const {
  std::vector<NodeId> ids;
  ids.reserve(usable_.size());
  for (const Usable& u : usable_) ids.push_back(u.node);
  for (const std::vector<NodeId>& nodes : nodes_by_switch(*request_.topology, ids, count)) {
    std::vector<Usable> here;
    here.reserve(nodes.size());
    for (NodeId id : nodes) here.push_back(*find(id));
    auto shares = place_with_required(count, here, order);
    if (!shares || !has_required(*shares)) continue;
    std::vector<NodeId> chosen;
    for (const NodeShare& share : *shares) chosen.push_back(share.node);
    if (request_.switches_max && leaves_of(*request_.topology, chosen) > request_.switches_max)
      continue;
    return shares;
  }
  return std::nullopt;
}

bool Placer::has_required(const std::vector<NodeShare>& shares) const {
  return std::ranges::all_of(request_.required_nodes, [&](NodeId id) {
    return std::ranges::find(shares, id, &NodeShare::node) != shares.end();
  });
}

// Among nodes of equal preference: those behind the required one, then those before it, the nearest
// first.
void Placer::neighbours_first(NodeId required, std::vector<Usable>& others) const {
  std::ranges::stable_sort(others, {}, [&](const Usable& u) {
    const bool behind = u.node > required;
    return std::tuple(preference(cluster_.nodes.at(u.node)), !behind,
                      behind ? u.node.value : required.value - u.node.value);
  });
}

// Chooses nodes next to each other in the cluster's order, as early as possible (--contiguous).
Placer::Shares Placer::neighbours(std::uint32_t count) const {
  std::map<NodeId, Usable> usable;
  for (const Usable& u : usable_) usable[u.node] = u;
  std::vector<Usable> run;
  for (NodeId id : *cluster_.node_order) {
    auto at = usable.find(id);
    if (at == usable.end()) {
      run.clear();
      continue;
    }
    run.push_back(at->second);
    if (run.size() > count) run.erase(run.begin());
    if (run.size() < count) continue;
    bool complete = std::all_of(
        request_.required_nodes.begin(), request_.required_nodes.end(), [&](NodeId required) {
          return std::any_of(run.begin(), run.end(),
                             [&](const Usable& u) { return u.node == required; });
        });
    if (!complete) continue;
    if (auto shares = place_on(run)) return shares;
  }
  return std::nullopt;
}

}  // namespace muster::sched
