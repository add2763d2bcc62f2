// What nodes have to give, now.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"

namespace muster::sched {

struct Free {
  IdSet cpus;
  CpuLayers held_again;             // what several jobs hold is free when all of them have gone
  std::uint32_t promised_cpus = 0;  // of these: not to be used, whichever they will be
  std::uint64_t memory_mib = 0;
  std::vector<GresShare> gres;  // free devices by name and type; `count` of them may be used
  bool untouched = true;        // nobody holds anything here

  std::uint32_t usable_cpus() const {
    auto n = static_cast<std::uint32_t>(cpus.size());
    return n - std::min(n, promised_cpus);
  }
};

// A core's threads are CPUs, or the core is one.
std::uint32_t cpus_per_core(const Node& node);
IdSet all_cpus_of(const Node& node);  // but those kept for the system
Free all_of(const Node& node);
Free free_of(const Node& node);
void take(Free& free, const NodeShare& share);
void give_back(Free& free, const NodeShare& share);
void give_back_cpus(Free& free, const IdSet& cpus);

// Does the share consist of what is free?
bool holds(const Free& free, const NodeShare& share);

}  // namespace muster::sched
