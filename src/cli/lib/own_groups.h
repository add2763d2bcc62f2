// Which partitions the caller's groups may use; other partitions are listed only on request.
#pragma once

#include "model/node/partition.h"

namespace muster::cli {

bool admits_own_groups(const Partition& partition);

}  // namespace muster::cli
