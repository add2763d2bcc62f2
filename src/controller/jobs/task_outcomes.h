// The outcomes of an action that named a job. For an array they are reported per task: tasks with
// the same outcome together, and successful ones only if others failed.
#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "wire/replies.h"

namespace muster::controller {

class TaskOutcomes {
 public:
  // Tasks that are named but do not exist count as invalid.
  TaskOutcomes(const Cluster& cluster, wire::JobRef named);

  void add(const Job& job, const Result<void>& outcome);  // `job` as it was before the action
  void tell(wire::CancelReply& reply) &&;

 private:
  wire::JobRef named_;
  std::vector<std::pair<wire::JobRef, Error>> all_;
  std::uint32_t done_ = 0, failed_ = 0;
};

}  // namespace muster::controller
