// task_count: the number of tasks of a job, as commands show it.
#pragma once

#include <algorithm>
#include <cstdint>

#include "model/job/job.h"

namespace muster {

// -n; or --ntasks-per-node times the number of nodes; or one task per node.
inline std::uint32_t task_count(const Job& job) {
  const JobSpec& spec = *job.spec;
  const bool placed = !job.run->allocation.empty();
  const auto nodes = placed ? static_cast<std::uint32_t>(job.run->allocation.size())
                            : std::max(1u, spec.min_nodes);
  const std::uint32_t on_nodes = nodes * std::max(1u, spec.ntasks_per_node.value_or(1));
  if (!spec.num_tasks) return on_nodes;
  return placed && spec.ntasks_per_node ? std::max(*spec.num_tasks, on_nodes) : *spec.num_tasks;
}

}  // namespace muster
