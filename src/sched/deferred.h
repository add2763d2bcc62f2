// Deferred: the waiting jobs that cannot start whatever is free, because they are held, their begin
// time has not come, or they depend on other jobs. A plan does not look at them: they come back
// when the clock, their own record or a job that they depend on says that this may have changed.
// So a job that is kept here is never eligible (sched/gate.h); one that is not kept here may be
// either. Components of a heterogeneous job are never kept: they wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "sched/dependency.h"

namespace muster::sched {

class Deferred {
 public:
  bool contains(JobId job) const { return jobs_.contains(job.value); }
  // In ascending order.
  std::vector<JobId> ids() const;
  // Of these: jobs whose dependency can never be met, as things are.
  const IdSet& hopeless() const { return hopeless_; }

  // Keeps a waiting job if it cannot start yet, or else lets go of it. True = it is kept.
  bool look_at(const Cluster& cluster, const Job& job, Time now);
  void forget(JobId job);

  // Calls again(JobId) for each job that has to be looked at again, by the time or because a record
  // has changed (nullptr = there was none, or is none any more).
  template <class Again>
  void when_due(Time now, Again&& again) const {
    for (auto at = due_.begin(); at != due_.end() && at->first <= now; ++at) again(at->second);
  }
  template <class Again>
  void when_changed(const Cluster& cluster, const Job* was, const Job* is, Again&& again) const {
    if (dependents_.empty() && singletons_.empty()) return;
    for (const IdSet* waiting : waiting_for(cluster, was, is))
      waiting->each([&](std::uint32_t id) { again(JobId{id}); });
  }

 private:
  using Target = std::pair<JobId, std::uint32_t>;  // a job or a whole array (kNoTask), or a task
  using SameName = std::pair<Uid, Text>;           // singleton
  using Lists = std::vector<const IdSet*>;
  struct Kept {
    Time due = Time::max();        // when the time alone may change something
    std::vector<Target> targets;   // what it waits for
    std::optional<SameName> name;  // likewise
  };

  static Kept what_it_waits_for(const Cluster& cluster, const Job& job, Time now);
  Lists waiting_for(const Cluster& cluster, const Job* was, const Job* is) const;
  void add_tasks(JobId array, const IdSet& tasks, Lists& found) const;
  void add_all(const Cluster& cluster, const Job& changed, Lists& found) const;

  std::unordered_map<std::uint32_t, Kept> jobs_;
  std::set<std::pair<Time, JobId>> due_;
  std::map<Target, IdSet> dependents_;
  std::map<SameName, IdSet> singletons_;
  IdSet hopeless_;
};

}  // namespace muster::sched
