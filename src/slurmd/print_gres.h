// slurmd -G: what the node offers besides CPUs and memory, as slurm.conf, gres.conf and the machine
// together say.
#pragma once

#include <string>
#include <vector>

#include "model/node/resources.h"

namespace muster {

// "slurmd-n1: Gres Name=gpu Type=v100 Count=1 Index=0 ID=7696487 File=/dev/nvidia0 Cores=0-7
// CoreCnt=16": a line for each device, or for each kind that is only counted.
std::string gres_text(const std::vector<GresPool>& pools, const std::string& node_name,
                      std::uint32_t cores);

}  // namespace muster
