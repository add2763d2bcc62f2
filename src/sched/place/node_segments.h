// node_segments: chooses nodes among those with room. A segment is a row of neighbouring nodes, or
// the nodes of one leaf switch. The smallest segment that suffices is taken, so that large segments
// stay whole. If one node of it can hold the whole job, the one with the fewest free CPUs is taken.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace muster::sched {

struct NodeOffer {
  NodeId node;
  std::uint32_t place = 0;  // position in the cluster's order; neighbours differ by one
  std::uint64_t rank = 0;   // nodes of a lower rank are used first
  std::uint32_t cpus = 0;   // free CPUs
  std::uint32_t tasks = 0;  // that fit here; 0 = the node cannot be used
  bool required = false;
  std::uint32_t leaf = 0;  // leaf switch; 0 = switches do not matter
};

struct PlacementNeed {
  std::uint32_t min_nodes = 1, wanted_nodes = 1, max_nodes = 1;
  std::uint64_t tasks = 1;
  bool contiguous = false;
};

// False if no choice can satisfy the need. The offers may be upper bounds.
bool may_suffice(const std::vector<NodeOffer>& offers, const PlacementNeed& need);

// The indices of the chosen offers, in order of use; unset if none was found. Requires that
// neighbours of equal rank are adjacent in `offers`.
std::optional<std::vector<std::size_t>> choose_offers(const std::vector<NodeOffer>& offers,
                                                      const PlacementNeed& need);

}  // namespace muster::sched
