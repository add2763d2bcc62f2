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
  // A step that has ended has left the state. It may come back if its end is undone.
  void forget_if_over(const Cluster& cluster, JobId job, StepId step) {
    if (!cluster.jobs.at(job).run->steps.contains(step)) over_.insert(of_.extract({job, step}));
  }
  void forget_over() { over_.clear(); }  // nothing will be undone any more
  // Steps that the state does not know any more, after events were undone.
  void forget_undone(const Cluster& cluster) {
    of_.merge(over_);
    std::erase_if(of_, [&](const auto& entry) {
      const auto& [job, step] = entry.first;
      const Job* record = cluster.jobs.find(job);
      return !record || is_step_over(*record, step);
    });
  }

 private:
  std::map<std::pair<JobId, StepId>, wire::StepRequest> of_, over_;
};

}  // namespace muster::controller
