// Step: one srun inside a job, or the batch script.
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/containers/cow.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/job/job_state.h"
#include "model/node/resources.h"

namespace muster {

// One quantity over the tasks of a step: its sum, and the tasks with the most and the least of it.
struct Measure {
  std::uint32_t tasks = 0;  // tasks in which it was measured
  std::uint64_t total = 0, max = 0, min = 0;
  NodeId max_node, min_node;
  std::uint32_t max_task = 0, min_task = 0;
  bool operator==(const Measure&) const = default;
  void note(std::uint64_t value, NodeId node, std::uint32_t task);
  void add(const Measure& other);
  std::uint64_t average() const { return tasks == 0 ? 0 : total / tasks; }
  template <class V>
  void fields(V& v) {
    v(1, tasks);
    v(2, total);
    v(3, max);
    v(4, min);
    v(5, max_node);
    v(6, min_node);
    v(7, max_task);
    v(8, min_task);
  }
};

// What a step used: for memory and GPUs the peak of each task, for the rest the total.
struct Usage {
  std::uint64_t user_cpu_us = 0, system_cpu_us = 0;
  Measure cpu_us, rss_kib, vmem_kib, pages, read_bytes, written_bytes;
  Measure gpu_percent, gpu_memory_kib, energy_j;  // energy: of GPUs that report it
  bool operator==(const Usage&) const = default;
  void add(const Usage& other);  // adds the usage on another node
  template <class V>
  void fields(V& v) {
    v(1, user_cpu_us);
    v(2, system_cpu_us);
    v(9, cpu_us);
    v(10, rss_kib);
    v(11, vmem_kib);
    v(12, pages);
    v(13, read_bytes);
    v(14, written_bytes);
    v(15, gpu_percent);
    v(16, gpu_memory_kib);
    v(17, energy_j);
  }
};

inline constexpr Measure Usage::* kMeasures[] = {
    &Usage::cpu_us,      &Usage::rss_kib,        &Usage::vmem_kib,
    &Usage::pages,       &Usage::read_bytes,     &Usage::written_bytes,
    &Usage::gpu_percent, &Usage::gpu_memory_kib, &Usage::energy_j};

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

// One component's part of a step over several components. Its ranks and nodes follow those of the
// parts before it.
struct HetPart {
  std::uint32_t first_task = 0, first_node = 0;  // in the whole step
  std::uint32_t tasks = 0, nodes = 0;  // of the whole step; 0 = this part is the whole step
  bool is_part() const { return tasks > 0; }
  bool operator==(const HetPart&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, first_task);
    v(2, first_node);
    v(3, tasks);
    v(4, nodes);
  }
};

// One of several commands that form a step together, each on nodes of its own.
struct StepCommand {
  Text name;
  std::uint32_t tasks = 0, nodes = 0;
  bool operator==(const StepCommand&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, name);
    v(2, tasks);
    v(3, nodes);
  }
};

// srun's options for GPUs, as scontrol shows them.
struct StepTres {
  Text bind, freq, per_step, per_node, per_task;
  bool with_cpus = false;  // requested by an option for GPUs only: CPUs are shown too
  Text per_socket;
  std::uint32_t cpus_per_gpu = 0;        // 0 = not asked for
  std::uint64_t memory_per_gpu_mib = 0;  // likewise
  bool operator==(const StepTres&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, bind);
    v(2, freq);
    v(3, per_step);
    v(4, per_node);
    v(5, per_task);
    v(6, with_cpus);
    v(7, per_socket);
    v(8, cpus_per_gpu);
    v(9, memory_per_gpu_mib);
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
  Cow<Usage> usage;  // empty: none reported yet
  Text submit_line;
  bool overlap = false;        // shares its resources with other steps, which do not count them
  bool shares_memory = false;  // no memory was requested, so the job's is not divided
  Minutes time_limit{0};       // 0 = none of its own
  // Its part of a step over several components of a heterogeneous job.
  HetPart het;
  std::uint32_t meeting_port = 0;     // --rendezvous: on the first node of the whole step; 0 = none
  IdSet reserved_ports;               // --resv-ports: on each of its nodes
  std::vector<StepCommand> commands;  // only if there are several; in the order of its nodes
  Text srun_host;                     // who launched it
  std::uint32_t srun_pid = 0;
  Text distribution;  // as requested; empty = the default
  StepTres tres;
  Text request;  // srun --async: the encoded request, while the step waits or runs
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
    v(100, het);
    v(101, meeting_port);
    v(160, request);
    v(210, reserved_ports);
    v(211, commands);
    v(383, srun_host);
    v(384, srun_pid);
    v(385, distribution);
    v(400, tres);
  }
};

// Exit statuses with a special meaning, shown by Slurm as 0:53 and 0:125.
inline constexpr std::uint32_t kLaunchFailedStatus = 53;
inline constexpr std::uint32_t kOutOfMemoryStatus = 125;

// "batch", "extern", "0"
std::string step_name(StepId id);

}  // namespace muster
