// Deferred: the waiting jobs that cannot start whatever is free, because they are held, their begin
// time has not come, they depend on other jobs, or a limit lets no more jobs run. A plan does not
// look at them: they come back when the clock, their own record, a job that they depend on or one
// that counts for that limit says that this may have changed.
// So a job that is kept here is not eligible (sched/gate/gate.h) or has met a limit; one that is
// not kept here may be either. Components of a heterogeneous job are never kept: they wait for each
// other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/containers/sparse.h"
#include "model/cluster.h"
#include "sched/gate/dependency.h"
#include "sched/limits/rulers.h"

namespace muster::sched {

class Deferred {
 public:
  bool contains(JobId job) const { return jobs_.contains(job.value); }
  // Of those that are not eligible, in ascending order.
  std::vector<JobId> ids() const;
  bool has_limited() const { return !limited_.empty(); }
  // Of these: jobs whose dependency can never be met, as things are.
  const IdSet& hopeless() const { return hopeless_; }

  // Keeps a waiting job if it cannot start yet, or else lets go of it. True = it is kept.
  bool look_at(const Cluster& cluster, const Job& job, Time now);
  // Keeps a job that is eligible until one of those whom the limit counts has ended.
  void defer(JobId job, const UseKey& full);
  void forget(JobId job);

  // Calls again(JobId) for each job that has to be looked at again, by the time or because a record
  // has changed (nullptr = there was none, or is none any more).
  template <class Again>
  void when_due(Time now, Again&& again) const {
    for (auto at = due_.begin(); at != due_.end() && at->first <= now; ++at) again(at->second);
  }
  template <class Again>
  void when_changed(const Cluster& cluster, const Job* was, const Job* is, Again&& again) const {
    when_one_less_counts(cluster, was, is, again);
    if (dependents_.empty() && singletons_.empty()) return;
    for (const IdSet* waiting : waiting_for(cluster, was, is))
      waiting->each([&](std::uint32_t id) { again(JobId{id}); });
  }

  template <class Again>
  void when_limits_change(Again&& again) const {
    for (const auto& [key, waiting] : limited_)
      waiting.each([&](std::uint32_t id) { again(JobId{id}); });
  }

 private:
  using Target = std::pair<JobId, std::uint32_t>;  // a job or a whole array (kNoTask), or a task
  using SameName = std::pair<Uid, Text>;           // singleton
  using Lists = std::vector<const IdSet*>;
  struct Others {
    std::vector<Target> targets;
    std::optional<SameName> name;
    bool operator==(const Others&) const = default;
  };
  struct Kept {
    Time due = Time::max();     // when the time alone may change something
    Sparse<Others> waited_for;  // most jobs wait for none
  };

  template <class Again>
  void when_one_less_counts(const Cluster& cluster, const Job* was, const Job* is,
                            Again&& again) const {
    if (limited_.empty() || !was || !is_active(was->state) || (is && is_active(is->state))) return;
    for (const UseKey& key : keys_of(cluster, *was))
      if (auto at = limited_.find(key); at != limited_.end())
        at->second.each([&](std::uint32_t id) { again(JobId{id}); });
  }
  static std::vector<UseKey> keys_of(const Cluster& cluster, const Job& job);
  static Kept what_it_waits_for(const Cluster& cluster, const Job& job, Time now);
  Lists waiting_for(const Cluster& cluster, const Job* was, const Job* is) const;
  void add_tasks(JobId array, const IdSet& tasks, Lists& found) const;
  void add_all(const Cluster& cluster, const Job& changed, Lists& found) const;

  std::unordered_map<std::uint32_t, Kept> jobs_;
  std::set<std::pair<Time, JobId>> due_;
  std::map<Target, IdSet> dependents_;
  std::map<SameName, IdSet> singletons_;
  std::unordered_map<std::uint32_t, UseKey> limits_;  // of jobs that have met one
  std::map<UseKey, IdSet> limited_;
  IdSet hopeless_;
};

}  // namespace muster::sched
