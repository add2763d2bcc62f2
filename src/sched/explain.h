// explain: where a waiting job stands, and what would start it sooner, found out by planning the
// queue again with a changed job. Only it and those before it are planned; the budget bounds each
// trial, and there are only a few.
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
  std::vector<std::pair<Text, std::uint32_t>> ahead;  // users and jobs before it, the most first
};
// In line are those that only need room: not the held, nor those that wait for others.
Standing standing_of(const Cluster& cluster, JobId job, Time now);

struct Alternative {
  std::string change;  // "with --time=2:00:00"
  Time start;
};
struct Alternatives {
  std::vector<Alternative> sooner;  // than as it is; the soonest first
  bool tried_all = true;
};
struct AlternativeOptions {
  std::vector<Text> partitions;    // that its user may use
  Budget budget;                   // of one trial
  std::uint32_t max_ahead = 2000;  // behind more than these no trial is made
};
Alternatives alternatives_of(const Cluster& cluster, JobId job, Time now,
                             const AlternativeOptions& options);

}  // namespace muster::sched
