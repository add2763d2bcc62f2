// ProfileScratch: working memory of a profile, one entry per node. It is handed from one profile to
// the next, blank, so that a plan that probes few nodes does not allocate memory for all.
#pragma once

#include <cstdint>
#include <vector>

namespace muster::sched {

struct NodeScratch {
  std::uint32_t entry = 0;  // index among the node profiles plus 1; 0 = not probed yet
  bool blocked = false;
  bool full = false;  // only valid if there is an entry
};
using ProfileScratch = std::vector<NodeScratch>;  // by node id

}  // namespace muster::sched
