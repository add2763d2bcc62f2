// What came of an action that named a job. Where the job is an array, its tasks are told one from
// the other: those of the same outcome together, and if any failed also those that did not.
#pragma once

#include <utility>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "wire/replies.h"

namespace muster::controller {

class TaskOutcomes {
 public:
  // Named tasks that the array does not have are invalid.
  TaskOutcomes(const Cluster& cluster, wire::JobRef named);

  void add(const Job& job, const Result<void>& outcome);  // as the job was before the action
  void tell(wire::CancelReply& reply) &&;

 private:
  wire::JobRef named_;
  std::vector<std::pair<wire::JobRef, Error>> all_;
  std::uint32_t done_ = 0, failed_ = 0;
};

}  // namespace muster::controller
