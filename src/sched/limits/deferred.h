// Deferred: waiting jobs that cannot start whatever is free: they are held, their begin time has
// not come, they depend on other jobs, or a limit leaves no room for them. Plans do not examine
// them. A deferred job comes back when its time comes, or when its own record, a job that it
// depends on, or a job that counts for its limit has changed. So each job in here is not eligible
// (sched/gate/gate.h) or has met a limit. The reverse is not true: other jobs may also be in that
// position. Components of a heterogeneous job are never deferred, because they wait for each other.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/containers/sparse.h"
#include "base/containers/table.h"
#include "model/cluster.h"
#include "sched/gate/dependency.h"
#include "sched/limits/limit_sources.h"

namespace muster::sched {

// By job, in Slurm's words. Copies are cheap: each plan has one.
using LimitsMet = Table<JobId, Text>;

class Deferred {
 public:
  bool contains(JobId job) const { return jobs_.contains(job.value); }
  // The deferred jobs that are not eligible, ascending.
  std::vector<JobId> ids() const;
  // Which limit each eligible deferred job has met.
  const LimitsMet& limits_met() const { return limits_met_; }
  // The jobs among these whose dependency can never be met, as things are.
  const IdSet& hopeless() const { return hopeless_; }

  // Defers a waiting job if it cannot start yet, and forgets it otherwise. True = it is deferred.
  bool look_at(const Cluster& cluster, const Job& job, Time now);
  // Defers an eligible job until a job that counts for this limit has ended, or counts less.
  void defer(JobId job, const LimitScopeKey& full, Text words);
  void forget(JobId job);

  // Each of these calls again(JobId) for each job that has to be examined again: because of the
  // time, because a record has changed (nullptr: it was added or removed), or because limits have
  // changed.
  template <class Again>
  void when_due(Time now, Again&& again) const {
    for (auto at = due_.begin(); at != due_.end() && at->first <= now; ++at) again(at->second);
  }
  template <class Again>
  void when_changed(const Cluster& cluster, const Job* was, const Job* is, Again&& again) const {
    when_less_counts(cluster, was, is, again);
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
  using Target = std::pair<JobId, std::uint32_t>;  // a job, a whole array (kNoTask) or a task
  using SameName = std::pair<Uid, Text>;           // singleton
  using Lists = std::vector<const IdSet*>;
  struct Others {
    std::vector<Target> targets;
    std::optional<SameName> name;
    bool operator==(const Others&) const = default;
  };
  struct Kept {
    Time due = Time::max();     // when it has to be examined because of the time
    Sparse<Others> waited_for;  // empty for most jobs
  };

  template <class Again>
  void when_less_counts(const Cluster& cluster, const Job* was, const Job* is,
                        Again&& again) const {
    if (limited_.empty() || !was || !may_count_less(*was, is)) return;
    for (const LimitScopeKey& key : keys_of(cluster, *was))
      if (auto at = limited_.find(key); at != limited_.end())
        at->second.each([&](std::uint32_t id) { again(JobId{id}); });
  }
  static bool may_count_less(const Job& was, const Job* is);
  static std::vector<LimitScopeKey> keys_of(const Cluster& cluster, const Job& job);
  static Kept what_it_waits_for(const Cluster& cluster, const Job& job, Time now);
  Lists waiting_for(const Cluster& cluster, const Job* was, const Job* is) const;
  void add_tasks(JobId array, const IdSet& tasks, Lists& found) const;
  void add_all(const Cluster& cluster, const Job& changed, Lists& found) const;

  std::unordered_map<std::uint32_t, Kept> jobs_;
  std::set<std::pair<Time, JobId>> due_;
  std::map<Target, IdSet> dependents_;
  std::map<SameName, IdSet> singletons_;
  std::unordered_map<std::uint32_t, LimitScopeKey> limits_;  // by job: the limit that it has met
  std::map<LimitScopeKey, IdSet> limited_;
  LimitsMet limits_met_;
  IdSet hopeless_;
};

}  // namespace muster::sched
