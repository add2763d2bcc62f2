// Computes what jobs' views need to know about partitions.
#include "controller/submit/partition_facts.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::controller {

std::uint32_t PartitionFacts::least_nodes(const Job& job) {
  const JobSpec& spec = *job.spec;
  std::uint32_t nodes = std::max(1u, spec.min_nodes);
  const std::uint64_t tasks = spec.num_tasks.value_or(1);
  if (tasks <= 1) return nodes;
  auto with_on_each = [&](std::uint32_t most) {
    nodes = std::max(nodes, static_cast<std::uint32_t>((tasks + most - 1) / most));
  };
  if (spec.ntasks_per_node.value_or(0) > 0) with_on_each(*spec.ntasks_per_node);
  const std::uint32_t largest = most_cpus(split(job.partition, ',').front());
  if (largest > 0)
    with_on_each(std::max(1u, largest / std::max(1u, spec.cpus_per_task.value_or(1))));
  return nodes;
}

std::uint32_t PartitionFacts::most_cpus(std::string_view name) {
  auto [at, is_new] = most_cpus_.try_emplace(name, 0);
  const Partition* partition = is_new ? cluster_.find_partition(name) : nullptr;
  if (partition)
    for (NodeId id : partition->nodes)
      if (const Node* node = cluster_.nodes.find(id))
        at->second = std::max(at->second, node->config.cpus);
  return at->second;
}

}  // namespace muster::controller
