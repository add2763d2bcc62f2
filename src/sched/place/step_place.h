// place_step: places a step within its job's allocation. Input: what the job holds, and what its
// other steps use of that. Output: nodes, task ranks, CPUs, memory and devices of the step.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/binding/distribution.h"
#include "model/job/step.h"

namespace muster::sched {

// Whole cores are allocated; tasks use `usable` of the `threads` CPUs of each core.
struct CoreUse {
  std::uint32_t threads = 1, usable = 1;
};

struct StepDemand {
  std::uint32_t tasks = 1;
  std::uint32_t min_nodes = 1, max_nodes = 1;
  std::uint32_t cpus_per_task = 1;
  bool cpus_per_task_is_wish = false;    // inherited from the job: 1 will do if it does not fit
  std::uint32_t cpus_per_gpu = 0;        // at least this many on each node for each of its GPUs
  std::uint32_t tasks_per_node_max = 0;  // 0 = no bound
  bool exact = false;       // only the CPUs of its tasks; else all CPUs of the job on its nodes
  bool overcommit = false;  // more tasks than CPUs
  // Memory: at most one of these is set. If none is, or it is 0, the step gets all memory of the
  // job. If neither job nor step asked for memory, it is not counted.
  std::optional<std::uint64_t> memory_per_node_mib, memory_per_cpu_mib, memory_per_gpu_mib;
  bool counts_memory = true;
  std::optional<GresRequests> gres_per_node;  // unset = all of the job's
  GresRequests gpus_total, gpus_per_task;     // one entry for each type
  std::vector<NodeId> required_nodes;
  std::vector<NodeId> task_nodes;  // by rank, for -m arbitrary
  Distribution distribution;
  std::vector<CoreUse> cores;  // parallel to `held`; empty = each CPU is a core
};

// `held`: the job's shares on the nodes that the step may use. `used`: what other steps use of
// these. Fails with nodes_busy if the step has to wait for other steps, and with another code if it
// can never run.
Result<std::vector<StepNode>> place_step(const std::vector<NodeShare>& held,
                                         const std::vector<NodeShare>& used,
                                         const StepDemand& demand);

}  // namespace muster::sched
