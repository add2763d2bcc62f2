// The keys that scontrol create and update know of a partition, and what each makes of its value.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

// The partition as it will be.
struct PartitionDraft {
  const Cluster& cluster;
  Partition partition;
};

Result<void> set_partition_key(PartitionDraft& draft, std::string_view key, std::string_view value);

}  // namespace muster::controller
