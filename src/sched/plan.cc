#include "sched/plan.h"

#include <algorithm>

#include "sched/planner.h"

namespace muster::sched {

namespace {

template <class T>
const T* find_job(const std::vector<T>& list, JobId job) {
  auto at = std::lower_bound(list.begin(), list.end(), job,
                             [](const T& item, JobId id) { return item.job < id; });
  return at != list.end() && at->job == job ? &*at : nullptr;
}

}  // namespace

// Enough that what a plan has to find out anew is worth the starts that it finds.
Budget quick_budget(const Cluster& cluster) {
  return {.max_questions = 40000 + 4 * std::uint64_t{cluster.nodes.size()},
          .max_idle_questions = 3000,
          .thorough = false,
          .order_changed = false};
}

Budget thorough_budget(const Cluster& cluster) {
  return {.max_questions = 100000 + 100 * std::uint64_t{cluster.nodes.size()}};
}

Plan plan(const Cluster& cluster, Time now, Budget budget, PlanMemory& memory) {
  memory.nodes.follow(cluster);
  return Planner(cluster, now, budget, memory).run();
}

Plan plan(const Cluster& cluster, Time now, Budget budget) {
  PlanMemory memory;
  return plan(cluster, now, budget, memory);
}

const Wait* find_wait(const Plan& plan, JobId job) { return find_job(plan.waits, job); }
const Expected* find_expected(const Plan& plan, JobId job) { return find_job(plan.expected, job); }

}  // namespace muster::sched
