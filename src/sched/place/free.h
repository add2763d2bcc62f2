// Free: the free CPUs, memory and devices of a node.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Free {
  IdSet cpus;
  CpuOverlap shared_cpus;  // CPUs that several jobs hold: free when the last of them has left
  std::uint32_t promised_cpus = 0;  // so many of the free CPUs are promised, no matter which ones
  std::uint64_t memory_mib = 0;
  std::vector<GresShare> gres;  // by name and type; at most `count` devices of each may be used
  bool untouched = true;        // no job holds anything here

  std::uint32_t usable_cpus() const {
    auto n = static_cast<std::uint32_t>(cpus.size());
    return n - std::min(n, promised_cpus);
  }
};

// 1 if each core counts as one CPU, else its number of threads.
std::uint32_t cpus_per_core(const Node& node);
IdSet all_cpus_of(const Node& node);  // without those kept for the system
Free all_of(const Node& node);
Free free_of(const Node& node);
void take(Free& free, const NodeShare& share);
void give_back(Free& free, const NodeShare& share);
void give_back_cpus(Free& free, const IdSet& cpus);

// Is everything in the share free?
bool holds(const Free& free, const NodeShare& share);

}  // namespace muster::sched
