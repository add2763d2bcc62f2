// MusterPolicy: the scheduler of slurmctld, on a cluster that is built from real events.
#pragma once

#include <vector>

#include "model/cluster.h"
#include "sched/plan.h"
#include "sim/replay/replay.h"

namespace muster::sim {

class MusterPolicy final : public Policy {
 public:
  MusterPolicy(const std::vector<TraceJob>& trace, const Machine& machine);
  void on_submitted(std::size_t job, Seconds now) override;
  void on_ended(std::size_t job, Seconds now) override;
  std::vector<std::size_t> starts(Seconds now) override;

 private:
  const std::vector<TraceJob>& trace_;
  Cluster cluster_;
  sched::PlannerCache planner_cache_;
};

}  // namespace muster::sim
