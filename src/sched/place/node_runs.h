// node_runs: which of the nodes with room a job gets. Nodes next to each other form a run, or those
// of one leaf switch; the run that just suffices is taken, so that long runs stay whole, and of a
// run that has one node for all of it the one with the fewest free CPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/ids.h"

namespace muster::sched {

struct Offer {
  NodeId node;
  std::uint32_t place = 0;  // in the cluster's order: those of neighbours are one apart
  std::uint64_t rank = 0;   // all of a lower rank go first
  std::uint32_t cpus = 0;   // free ones
  std::uint32_t tasks = 0;  // that it could hold; 0 = it cannot be used
  bool required = false;
  std::uint32_t leaf = 0;  // switch; 0 = it makes no difference
};

struct Need {
  std::uint32_t min_nodes = 1, wanted_nodes = 1, max_nodes = 1;
  std::uint64_t tasks = 1;
  bool contiguous = false;
};

// Could any choice do? The offers are what the nodes have at most.
bool may_suffice(const std::vector<Offer>& offers, const Need& need);

// The offers that are taken, the first one first; nothing where no such choice was found.
// Neighbours of one rank come one after the other.
std::optional<std::vector<std::size_t>> choose_offers(const std::vector<Offer>& offers,
                                                      const Need& need);

}  // namespace muster::sched
