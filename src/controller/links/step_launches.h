// StepLaunches: the requests of running steps, from which their nodes' launch orders are made.
#pragma once

#include <map>
#include <utility>

#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

class StepLaunches {
 public:
  void keep(JobId job, StepId step, wire::StepRequest request) {
    of_[{job, step}] = std::move(request);
  }
  const wire::StepRequest* find(JobId job, StepId step) const {
    auto found = of_.find({job, step});
    return found == of_.end() ? nullptr : &found->second;
  }
  // Ended steps have left the state.
  void forget_if_over(const Cluster& cluster, JobId job, StepId step) {
    if (!cluster.jobs.at(job).run->steps.contains(step)) of_.erase({job, step});
  }
  // After events were undone: forgets steps that the state does not know any more.
  void forget_undone(const Cluster& cluster) {
    std::erase_if(of_, [&](const auto& entry) {
      const auto& [job, step] = entry.first;
      const Job* record = cluster.jobs.find(job);
      return !record || is_step_over(*record, step);
    });
  }

 private:
  std::map<std::pair<JobId, StepId>, wire::StepRequest> of_;
};

}  // namespace muster::controller
