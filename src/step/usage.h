// What the tasks used: exact times from wait(), peaks of memory from sampling their process trees.
#pragma once

#include <sys/resource.h>

#include <cstdint>
#include <map>
#include <vector>

#include "base/ids.h"
#include "model/step.h"
#include "step/tasks.h"

namespace muster::step {

class UsageMeter {
 public:
  explicit UsageMeter(NodeId node) : node_(node) {}

  void sample(const std::vector<Task>& tasks);
  void add_waited(const rusage& used, std::uint32_t rank);
  Usage total() const { return total_; }

 private:
  void note_peaks(std::uint64_t rss_kib, std::uint64_t vmem_kib, std::uint32_t rank);

  NodeId node_;
  Usage total_;
};

}  // namespace muster::step
