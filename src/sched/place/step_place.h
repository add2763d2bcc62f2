// place_step: a step's own share of what its job holds. What the job holds and what its other steps
// have of it go in; nodes, ranks, CPUs, memory and devices come out.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/binding/distribution.h"
#include "model/job/step.h"

namespace muster::sched {

// How the CPUs of a node are used: whole cores are handed out, and tasks use so many of each.
struct CoreUse {
  std::uint32_t threads = 1, usable = 1;
};

struct StepDemand {
  std::uint32_t tasks = 1;
  std::uint32_t min_nodes = 1, max_nodes = 1;
  std::uint32_t cpus_per_task = 1;
  bool cpus_per_task_is_wish = false;    // only the job asked for it: one will do where it must
  std::uint32_t cpus_per_gpu = 0;        // on each node at least so many for each of its GPUs
  std::uint32_t tasks_per_node_max = 0;  // 0 = no bound
  bool exact = false;       // the CPUs of its tasks; else all that the job has on the step's nodes
  bool overcommit = false;  // more tasks than CPUs
  // Memory: one of these, or (none, or 0) all of the job's. Where nobody asked for any it is not
  // counted.
  std::optional<std::uint64_t> memory_per_node_mib, memory_per_cpu_mib, memory_per_gpu_mib;
  bool counts_memory = true;
  std::optional<std::vector<GresRequest>> gres_per_node;  // unset = all that the job has there
  std::vector<GresRequest> gpus_total, gpus_per_task;     // one for each type
  std::vector<NodeId> required_nodes;
  std::vector<NodeId> task_nodes;  // by rank; for an arbitrary distribution
  Distribution distribution;
  std::vector<CoreUse> cores;  // by held node; empty = each CPU is a core
};

// `held`: the job's shares on the nodes that the step may use. `used`: what other steps have of
// them. Fails with nodes_busy where the step only has to wait, with another code where it can never
// be.
Result<std::vector<StepNode>> place_step(const std::vector<NodeShare>& held,
                                         const std::vector<NodeShare>& used,
                                         const StepDemand& demand);

}  // namespace muster::sched
