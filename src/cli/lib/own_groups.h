// Which partitions the caller's groups may use: others are not listed unless asked for.
#pragma once

#include "model/node/partition.h"

namespace muster::cli {

bool admits_own_groups(const Partition& partition);

}  // namespace muster::cli
