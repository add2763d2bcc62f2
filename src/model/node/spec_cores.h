// Specialised cores: CPUs of a node that are kept for the system (CoreSpecCount, CpuSpecList,
// --core-spec).
#pragma once

#include <cstdint>

#include "base/text/idset.h"
#include "model/node/node.h"

namespace muster {

// A core's threads are CPUs, or the core is one.
std::uint32_t cpus_per_core(const NodeConfig& node);

// The CPUs of so many cores: the last ones of each socket in turn, beginning with the last socket;
// or the first ones.
IdSet spec_cpus(const NodeConfig& node, std::uint32_t cores);
// Those that the configuration keeps; whole cores.
IdSet spec_cpus(const NodeConfig& node);

}  // namespace muster
