// explain: a waiting job's place in the queue, and the changes to its request that would start it
// sooner. Each suggestion is tested by planning again with the changed job. A trial plans only this
// job and the jobs ahead of it; the budget bounds each trial, and there are only a few.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "sched/plan.h"

namespace muster::sched {

struct Standing {
  std::uint32_t position = 0;                         // 1 = first in line; 0 = not in line
  std::vector<std::pair<Text, std::uint32_t>> ahead;  // by user: jobs ahead of it, most jobs first
};
// Only jobs that wait for free resources are in line. Held jobs and jobs with open dependencies are
// not.
Standing standing_of(const Cluster& cluster, JobId job, Time now);

struct Alternative {
  std::string change;  // "with --time=2:00:00"
  Time start;
};
struct Alternatives {
  std::vector<Alternative> sooner;  // changes that start the job earlier; the earliest first
  bool tried_all = true;
};
struct AlternativeOptions {
  std::vector<Text> partitions;    // the partitions that the job's user may use
  Budget budget;                   // for one trial
  std::uint32_t max_ahead = 2000;  // no trials if more jobs than this are ahead
};
Alternatives alternatives_of(const Cluster& cluster, JobId job, Time now,
                             const AlternativeOptions& options);

}  // namespace muster::sched
