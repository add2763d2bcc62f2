// What the tasks used. Times, faults and bytes are exact, measured when a process is waited for;
// peaks of memory come from samples of the tasks' process trees.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "io/process/processes.h"
#include "model/job/step.h"
#include "step/tasks/tasks.h"

namespace muster::step {

class UsageMeter {
 public:
  explicit UsageMeter(NodeId node) : node_(node) {}

  void sample(const std::vector<Task>& tasks);
  // A process of this task was waited for. `moved` was read while it was a zombie. Both include the
  // children that the process itself has waited for.
  void add_waited(const rusage& used, const io::ProcessIo& moved, std::uint32_t rank);
  // of all tasks, in the last sample
  std::uint64_t sampled_rss_kib() const { return sampled_rss_kib_; }
  Usage total() const;

 private:
  struct OfTask {
    std::uint64_t user_us = 0, system_us = 0, pages = 0;
    std::uint64_t rss_kib = 0, vmem_kib = 0;  // peaks
    std::uint64_t live_cpu_us = 0;
    io::ProcessIo ended, live;
  };

  NodeId node_;
  std::map<std::uint32_t, OfTask> tasks_;  // by rank
  std::uint64_t sampled_rss_kib_ = 0;
};

}  // namespace muster::step
