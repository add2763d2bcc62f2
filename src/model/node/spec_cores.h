// spec_cores: specialised cores, whose CPUs are kept for the system (CoreSpecCount, CpuSpecList,
// --core-spec).
#pragma once

#include <cstdint>

#include "base/text/idset.h"
#include "model/node/node.h"

namespace muster {

// 1 if each core counts as one CPU, else its number of threads.
std::uint32_t cpus_per_core(const NodeConfig& node);

// The CPUs of this many cores: the last cores of each socket in turn, starting with the last
// socket. With spec_cores_first, the first ones.
IdSet spec_cpus(const NodeConfig& node, std::uint32_t cores);
// The CPUs that the configuration keeps for the system, rounded up to whole cores.
IdSet spec_cpus(const NodeConfig& node);

}  // namespace muster
