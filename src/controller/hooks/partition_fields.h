// partition_fields: what submit scripts read about a partition.
#pragma once

#include "model/node/partition.h"
#include "wire/hook_messages.h"

namespace muster::controller {

wire::HookFields partition_fields(const Partition& partition);

}  // namespace muster::controller
