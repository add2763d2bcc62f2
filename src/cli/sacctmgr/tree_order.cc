// Sorts siblings, then walks the tree depth first.
#include "cli/sacctmgr/tree_order.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace muster::cli {

namespace {

using wire::AssociationShown;
using Id = std::pair<std::string_view, std::uint32_t>;  // cluster and number

Id id_of(const AssociationShown& a) { return {a.row.cluster.view(), a.row.id}; }
Id parent_of(const AssociationShown& a) { return {a.row.cluster.view(), a.parent_id}; }

bool comes_first(const AssociationShown* a, const AssociationShown* b) {
  const AssociationKey &x = a->row.association.key, &y = b->row.association.key;
  if (x.user.empty() != y.user.empty()) return !x.user.empty();
  return x.user.empty() ? x.account < y.account : x.user < y.user;
}

}  // namespace

std::vector<TreeNode> in_tree_order(const std::vector<const AssociationShown*>& all) {
  std::set<Id> shown;
  for (const AssociationShown* a : all) shown.insert(id_of(*a));
  std::vector<const AssociationShown*> tops;
  std::map<Id, std::vector<const AssociationShown*>> children;
  for (const AssociationShown* a : all) {
    const bool has_parent = a->parent_id != 0 && parent_of(*a) != id_of(*a);
    if (has_parent && shown.contains(parent_of(*a)))
      children[parent_of(*a)].push_back(a);
    else
      tops.push_back(a);
  }
  std::ranges::stable_sort(tops, comes_first);
  for (auto& [parent, below] : children) std::ranges::stable_sort(below, comes_first);

  std::vector<TreeNode> order, open;
  for (auto top = tops.rbegin(); top != tops.rend(); ++top) open.push_back({*top, 0});
  while (!open.empty()) {
    const TreeNode node = open.back();
    open.pop_back();
    order.push_back(node);
    auto below = children.find(id_of(*node.association));
    if (below == children.end()) continue;
    // Taken out, so that rows which name each other as parents end.
    const std::vector<const AssociationShown*> nodes = std::move(below->second);
    children.erase(below);
    for (auto at = nodes.rbegin(); at != nodes.rend(); ++at) open.push_back({*at, node.depth + 1});
  }
  return order;
}

}  // namespace muster::cli
