// gres_fit: picks devices of one node for a request: free ones, if possible close to given CPUs.
#pragma once

#include <cstdint>
#include <vector>

#include "sched/place/free.h"

namespace muster::sched {

using Devices = std::vector<GresShare>;  // free ones by name and type

std::uint64_t free_devices(const Devices& free, const GresRequest& wanted);

// Takes `count` devices, preferred ones first. False if there are too few; the caller then drops
// `taken`.
bool take_devices(Devices& free, const GresRequest& wanted, std::uint64_t count,
                  std::vector<GresShare>& taken, const IdSet& preferred = {});

bool has_parts_of_gpus(const Node& node);
// Makes whole GPUs and shares of GPUs consistent: a GPU in use has no free shares, and a GPU with
// shares in use is not free as a whole. Shares of kind mps come from one GPU of a node at a time.
void part_gpus(const Node& node, Free& free);
// Takes shares of one GPU: a preferred one if possible, else the one with the fewest shares left
// that suffice.
bool take_part(const Node& node, Devices& free, const GresRequest& wanted,
               std::vector<GresShare>& taken, const IdSet& preferred);

// GPUs that are close to the same cores.
struct GpuGroup {
  IdSet gpus, cpus;
};
// Empty if gres.conf does not say which cores are close.
std::vector<GpuGroup> gpu_groups(const Node& node, std::uint32_t threads_per_core);
IdSet gpus_near(const std::vector<GpuGroup>& groups, const IdSet& cpus);
IdSet cpus_near(const std::vector<GpuGroup>& groups, const IdSet& gpus);
// The GPUs contained in these devices, as a whole or in part.
IdSet gpus_in(const std::vector<GresShare>& gres);

}  // namespace muster::sched
