#include "sched/plan.h"

#include <algorithm>
#include <set>

#include "sched/planner.h"

namespace muster::sched {

namespace {

template <class T>
const T* find_job(const std::vector<T>& list, JobId job) {
  auto at = std::lower_bound(list.begin(), list.end(), job,
                             [](const T& item, JobId id) { return item.job < id; });
  return at != list.end() && at->job == job ? &*at : nullptr;
}

// For whom jobs would go who does not start then all the same: what is free is promised to others
// who could use it sooner, now that it is, or for whom some more would go.
std::set<JobId> displaces_in_vain(const Cluster& cluster, Time now, Budget budget,
                                  PlanMemory& memory, const Plan& plan) {
  WhatIf without{.started = plan.starts};
  for (const Eviction& e : plan.evictions) without.gone.insert(e.victim);
  for (std::uint32_t id : cluster.active.ids())
    if (const Job& job = cluster.jobs.at(JobId{id});
        job.run->ending || job.run->preemption || is_ended(job.state))
      without.gone.insert(job.id);
  budget.thorough = budget.order_changed = budget.tells_of_deferred = false;
  const Plan then = Planner(cluster, now, budget, memory, without).run();
  std::set<JobId> in_vain;
  for (const Eviction& e : plan.evictions)
    if (std::ranges::count(then.starts, e.by, &Start::job) ==
        std::ranges::count(plan.starts, e.by, &Start::job))
      in_vain.insert(e.by);
  return in_vain;
}

}  // namespace

// Enough that what a plan has to find out anew is worth the starts that it finds.
Budget quick_budget(const Cluster& cluster) {
  return {.max_starts = 100,
          .max_questions = 40000 + 4 * std::uint64_t{cluster.nodes.size()},
          .max_idle_questions = 3000,
          .thorough = false,
          .order_changed = false,
          .tells_of_deferred = false};
}

Budget thorough_budget(const Cluster& cluster) {
  return {.max_questions = 100000 + 100 * std::uint64_t{cluster.nodes.size()},
          .tells_of_deferred = false};
}

Plan plan(const Cluster& cluster, Time now, Budget budget, PlanMemory& memory) {
  constexpr int kTrials = 3;
  memory.nodes.follow(cluster);
  WhatIf what_if;
  Plan made = Planner(cluster, now, budget, memory, what_if).run();
  budget.order_changed = false;
  for (int i = 1; i <= kTrials && !made.evictions.empty(); ++i) {
    std::set<JobId> in_vain = displaces_in_vain(cluster, now, budget, memory, made);
    if (in_vain.empty()) break;
    what_if.displace_nobody.merge(in_vain);
    what_if.all_stay = i == kTrials;
    made = Planner(cluster, now, budget, memory, what_if).run();
  }
  return made;
}

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  PlanMemory memory;
  return plan(cluster, now, budget, memory);
}

const Wait* find_wait(const Plan& plan, JobId job) { return find_job(plan.waits, job); }
const Expected* find_expected(const Plan& plan, JobId job) { return find_job(plan.expected, job); }

}  // namespace muster::sched
