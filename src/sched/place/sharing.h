// sharing: which CPUs held by jobs another job of the same partition may share (OverSubscribe).
#pragma once

#include <string_view>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Claim {
  const NodeShare* share = nullptr;
  std::string_view partition;
};

// The held CPUs that another job of this partition may share: all their holders are sharing jobs of
// this partition, and there are at most `holders` of them.
IdSet shareable(const std::vector<Claim>& claims, std::string_view partition,
                std::uint32_t holders);

// What jobs hold on this node.
std::vector<Claim> claims_on(const Cluster& cluster, const Node& node);

}  // namespace muster::sched
