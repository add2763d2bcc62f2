// Facts about partitions that views of jobs need, computed once for all jobs of an answer.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>

#include "model/cluster.h"

namespace muster::controller {

class PartitionFacts {
 public:
  explicit PartitionFacts(const Cluster& cluster) : cluster_(cluster) {}

  // The least number of nodes for the tasks of a pending job, by the CPUs of the largest node.
  std::uint32_t least_nodes(const Job& job);

 private:
  std::uint32_t most_cpus(std::string_view name);

  const Cluster& cluster_;
  // Keys point to names in the cluster's jobs.
  std::unordered_map<std::string_view, std::uint32_t> most_cpus_;
};

}  // namespace muster::controller
