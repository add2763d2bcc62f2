// sharing: which CPUs that jobs hold a further job of their partition may hold too.
#pragma once

#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Claim {
  const NodeShare* share = nullptr;
  std::string_view partition;
};

// Of the CPUs claimed: those that only jobs which share in this partition hold, up to `holders` of
// them.
IdSet shareable(const std::vector<Claim>& claims, std::string_view partition,
                std::uint32_t holders);

// What jobs hold on the node.
std::vector<Claim> claims_on(const Cluster& cluster, const Node& node);

}  // namespace muster::sched
