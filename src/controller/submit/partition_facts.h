// What a view of a job tells that follows from its partition: each is looked through once for all
// jobs of an answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/cluster.h"

namespace muster::controller {

class PartitionFacts {
 public:
  explicit PartitionFacts(const Cluster& cluster) : cluster_(cluster) {}

  // How many nodes the tasks of a job that waits need at least, by the CPUs of the largest.
  std::uint32_t least_nodes(const Job& job);

 private:
  std::uint32_t most_cpus(std::string_view name);

  const Cluster& cluster_;
  std::unordered_map<std::string_view, std::uint32_t> most_cpus_;  // names in the cluster's jobs
};

}  // namespace muster::controller
