// Step: one srun inside a job, or the batch script.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/ids.h"
#include "base/idset.h"
#include "base/text.h"
#include "base/time.h"
#include "model/job_state.h"
#include "model/resources.h"

namespace muster {

// What a step used, summed over its tasks.
struct Usage {
  std::uint64_t user_cpu_us = 0, system_cpu_us = 0;
  std::uint64_t max_rss_kib = 0, max_vmem_kib = 0;
  NodeId max_rss_node;
  std::uint32_t max_rss_task = 0;
  std::uint64_t read_bytes = 0, written_bytes = 0;
  bool operator==(const Usage&) const = default;
  void add(const Usage& other);  // sums times and bytes, keeps the largest peaks
  template <class V>
  void fields(V& v) {
    v(1, user_cpu_us);
    v(2, system_cpu_us);
    v(3, max_rss_kib);
    v(4, max_vmem_kib);
    v(5, max_rss_node);
    v(6, max_rss_task);
    v(7, read_bytes);
    v(8, written_bytes);
  }
};

struct StepNode {
  NodeId node;
  std::vector<std::uint32_t> ranks;  // global task ids that run here, ascending
  NodeShare share;
  bool operator==(const StepNode&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, ranks);
    v(3, share);
  }
};

struct Step {
  StepId id;
  Text name;
  JobState state = JobState::running;
  std::uint32_t num_tasks = 1;
  std::uint32_t cpus_per_task = 1;
  std::vector<StepNode> nodes;
  std::set<NodeId> unfinished;  // nodes that have not reported this step's end
  Time started, ended;
  std::uint32_t exit_status = 0;  // highest wait status of its tasks
  bool out_of_memory = false;
  Usage usage;
  Text submit_line;
  bool overlap = false;        // shares what it has with other steps, which do not count it
  bool shares_memory = false;  // nobody asked for memory: the job's is not divided
  Minutes time_limit{0};       // 0 = none of its own
  bool operator==(const Step&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, name);
    v(3, state);
    v(4, num_tasks);
    v(5, cpus_per_task);
    v(6, nodes);
    v(7, unfinished);
    v(8, started);
    v(9, ended);
    v(10, exit_status);
    v(11, out_of_memory);
    v(12, usage);
    v(13, submit_line);
    v(14, overlap);
    v(15, shares_memory);
    v(16, time_limit);
  }
};

// "batch", "extern", "0"
std::string step_name(StepId id);

}  // namespace muster
