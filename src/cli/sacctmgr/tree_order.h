// tree_order: associations as a tree shows them: below each account its users, then its accounts,
// both by name.
#pragma once

#include <vector>

#include "wire/accounts.h"

namespace muster::cli {

struct TreeNode {
  const wire::AssociationShown* association = nullptr;
  std::uint32_t depth = 0;  // below those whose parents are not shown
};
// What is shown without its parent stands at the top.
std::vector<TreeNode> in_tree_order(const std::vector<const wire::AssociationShown*>& all);

}  // namespace muster::cli
