// Makes a plan, and makes it again without preemptions that would not help the jobs they are for.
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

// Jobs that would preempt others in vain: even with the victims gone they do not start, because an
// earlier promise, or another preemption, takes the freed resources. Found by planning again as if
// all victims had left.
std::set<JobId> preempts_in_vain(const Cluster& cluster, Time now, Budget budget,
                                 PlannerCache& cache, const Plan& plan) {
  WhatIf without{.started = plan.starts};
  for (const Eviction& e : plan.evictions) without.gone.insert(e.victim);
  for (std::uint32_t id : cluster.active.ids())
    if (const Job& job = cluster.jobs.at(JobId{id});
        job.run->ending || job.run->preemption || is_ended(job.state))
      without.gone.insert(job.id);
  budget.thorough = budget.order_changed = budget.explains_deferred = false;
  const Plan then = Planner(cluster, now, budget, cache, without).run();
  std::set<JobId> in_vain;
  for (const Eviction& e : plan.evictions)
    if (std::ranges::count(then.starts, e.by, &Start::job) ==
        std::ranges::count(plan.starts, e.by, &Start::job))
      in_vain.insert(e.by);
  return in_vain;
}

}  // namespace

// Enough probes that a plan's fixed costs pay off in starts.
Budget quick_budget(const Cluster& cluster) {
  return {.max_starts = 100,
          .max_probes = 40000 + 4 * std::uint64_t{cluster.nodes.size()},
          .max_probes_when_full = 3000,
          .thorough = false,
          .order_changed = false,
          .explains_deferred = false};
}

Budget thorough_budget(const Cluster& cluster) {
  return {.max_probes = 100000 + 100 * std::uint64_t{cluster.nodes.size()},
          .explains_deferred = false};
}

Plan plan(const Cluster& cluster, Time now, Budget budget, PlannerCache& cache) {
  constexpr int kTrials = 3;
  cache.nodes.update_to(cluster);
  WhatIf what_if;
  Plan made = Planner(cluster, now, budget, cache, what_if).run();
  budget.order_changed = false;
  for (int i = 1; i <= kTrials && !made.evictions.empty(); ++i) {
    std::set<JobId> in_vain = preempts_in_vain(cluster, now, budget, cache, made);
    if (in_vain.empty()) break;
    what_if.no_preemption_for.merge(in_vain);
    what_if.no_preemption = i == kTrials;
    made = Planner(cluster, now, budget, cache, what_if).run();
  }
  return made;
}

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  PlannerCache cache;
  return plan(cluster, now, budget, cache);
}

std::optional<Wait> find_wait(const Plan& plan, JobId job) {
  if (const Wait* wait = find_job(plan.waits, job)) return *wait;
  if (const Text* words = plan.limits_met.find(job)) return Wait{job, Reason::limit, *words};
  return std::nullopt;
}
const Expected* find_expected(const Plan& plan, JobId job) { return find_job(plan.expected, job); }

}  // namespace muster::sched
