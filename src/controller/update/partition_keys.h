// The keys of scontrol update partition: how each one changes the partition.
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

// A test checks that every key of wire/update_keys.h has one.
bool has_partition_setter(std::string_view name);
Result<void> set_partition_key(PartitionDraft& draft, std::string_view key, std::string_view value);

}  // namespace muster::controller
