// gres_fit: devices of one node for one request: which are free, and which are close to CPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/place/free.h"

namespace muster::sched {

using Devices = std::vector<GresShare>;  // free ones by name and type

std::uint64_t free_devices(const Devices& free, const GresRequest& wanted);

// Takes so many, of the preferred ones first. False where there are too few; what was taken then is
// the caller's to drop.
bool take_devices(Devices& free, const GresRequest& wanted, std::uint64_t count,
                  std::vector<GresShare>& taken, const IdSet& preferred = {});

bool has_parts_of_gpus(const Node& node);
// A GPU that is in use has no shares to give, and one whose shares are in use is not free. Shares
// of the kind mps come from one GPU of a node at a time.
void part_gpus(const Node& node, Free& free);
// Shares of one GPU: of a preferred one, and of the one that has the fewest left.
bool take_part(const Node& node, Devices& free, const GresRequest& wanted,
               std::vector<GresShare>& taken, const IdSet& preferred);

// GPUs that are close to the same cores.
struct GpuGroup {
  IdSet gpus, cpus;
};
// Empty where the configuration does not say which cores are close.
std::vector<GpuGroup> gpu_groups(const Node& node, std::uint32_t threads_per_core);
IdSet gpus_near(const std::vector<GpuGroup>& groups, const IdSet& cpus);
IdSet cpus_near(const std::vector<GpuGroup>& groups, const IdSet& gpus);
// The GPUs in this, whole or in part.
IdSet gpus_in(const std::vector<GresShare>& gres);

}  // namespace muster::sched
