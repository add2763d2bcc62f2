// plan: what should start now, and why the rest waits. A pure function of the cluster's state and
// the time; the controller validates each start again before it takes it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "base/ids.h"
#include "base/text.h"
#include "base/time.h"
#include "model/cluster.h"
#include "sched/reason.h"

namespace muster::sched {

struct Budget {
  std::uint32_t max_starts = 2000;  // then the caller plans again
  std::uint32_t max_placements =
      20000;  // attempts to place a job; the jobs after that wait unexamined
};

struct Start {
  JobId job;  // the record; for an array record `task` says which of its tasks
  std::optional<std::uint32_t> task;
  Text partition;
  std::vector<NodeShare> allocation;
};

struct Wait {
  JobId job;
  Reason reason = Reason::none;
  Text detail;  // replaces the reason's name where set
};

struct Plan {
  std::vector<Start> starts;    // in the order in which they were decided
  std::vector<Wait> waits;      // ascending by job
  std::vector<JobId> hopeless;  // jobs whose dependency can never be met
  bool complete = true;         // false: the budget ran out
};

Plan plan(const Cluster& cluster, Time now, Budget budget = {});

// Why this job waits according to a plan; Reason::none where the plan does not know it.
const Wait* find_wait(const Plan& plan, JobId job);

}  // namespace muster::sched
