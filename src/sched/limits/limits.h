// LimitBook: what running and past jobs count against the limits of QOS and associations (see
// sched/limits/limit_sources.h), and which limit keeps another job from starting.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/containers/text.h"
#include "model/cluster.h"
#include "sched/limits/limit_sources.h"
#include "sched/priority/fair_share.h"
#include "sched/request/amounts.h"

namespace muster::sched {

// A run that may start: what it would hold, and for how long.
struct PlannedRun {
  const Job* job = nullptr;
  const Partition* partition = nullptr;
  const std::vector<NodeShare>* shares = nullptr;
  const Licenses* licenses = nullptr;
  Minutes limit{};
};

// The limit that keeps a job from starting, by Slurm's name; empty = none.
struct LimitHit {
  Text words;
  // If running jobs leave too little of the limit: whose jobs it counts. Until one of these ends or
  // holds less, or the limit changes, the job cannot start.
  std::optional<LimitScopeKey> full_scope = std::nullopt;
  bool empty() const { return words.empty(); }
};

class LimitBook {
 public:
  // Jobs in `gone` count as already gone.
  LimitBook(const Cluster& cluster, Time now, const FairShares* shares = nullptr,
            const std::set<JobId>& gone = {});

  // The limit that the job would exceed: first those that do not depend on where it runs, then
  // those that do. `least`: what it would hold on any nodes.
  LimitHit exceeded_before_placing(const Job& job, const Partition& partition, Minutes limit,
                                   const Amounts& least = {}) const;
  Text exceeded_by(const PlannedRun& run) const;
  void start(const PlannedRun& run);

  // Room under the limits is kept for promised runs: a run that lasts until then must leave them
  // room. exceeded_at: the limit that a promise for this time would exceed. next_release: the next
  // time after that at which a run with a common limit will have ended.
  void promise(const PlannedRun& run, Time from);
  Text exceeded_at(const PlannedRun& run, Time from) const;
  std::optional<Time> next_release(const PlannedRun& run, Time after) const;

  // Whether some limit bounds what jobs hold together.
  bool limits_what_is_held() const { return sources_.any_held_limit(); }

  // The limit that a running job has reached, so that it has to end.
  Text reached_by_running(const Job& job) const;

 private:
  struct Use {
    std::uint32_t jobs = 0, planned = 0;  // planned: those that this plan has started
    Amounts tres, planned_tres, run_minutes;
    PastUse past;
    // Only if some limit counts nodes: a node that several jobs share counts once.
    std::set<NodeId> nodes;
  };
  using Uses = std::map<LimitScopeKey, Use>;
  struct Held {  // what a run holds during some time
    Time from, until;
    std::set<LimitScopeKey> keys;
    Amounts tres;
    std::vector<NodeId> nodes;
    bool lasts_at(Time t) const { return from <= t && t < until; }
  };
  struct Promised {  // the use of a promised run's limits when it starts, itself included
    Time from;
    Uses then;
  };
  void add_past(const UsageOwner& owner, const PastUse& use);
  void add(const Job& job, const Held& held, std::uint64_t minutes);
  static void add_held(const Held& held, Use& use);
  std::vector<NodeId> nodes_of(const std::vector<NodeShare>& shares) const;
  Amounts wanted_beside(const Use& use, const Amounts& wanted,
                        const std::vector<NodeShare>& shares) const;
  std::set<LimitScopeKey> keys_of(const Job& job, const Partition* partition) const;
  Held held_by(const PlannedRun& run, Time from) const;
  void hold(Held held);
  Uses uses_at(const std::set<LimitScopeKey>& keys, Time t) const;
  Text limit_exceeded_by(const PlannedRun& run, const Amounts& wanted, const Uses& uses) const;
  Text promise_broken_by(const PlannedRun& run, const Amounts& wanted, Time from) const;
  const Use& use_of(const LimitScopeKey& key) const;
  LimitHit exceeded_by_least(const std::vector<LimitSource>& sources, const LimitSource& source,
                             const Amounts& least) const;
  Text exceeded_group_limit(const std::vector<LimitSource>& sources, const LimitSource& source,
                            const Amounts& wanted, const Amounts& minutes,
                            const std::vector<NodeShare>& shares) const;

  const Cluster& cluster_;
  Time now_;
  const FairShares* shares_;
  LimitSources sources_;
  Uses uses_;  // now
  std::vector<Held> held_;
  std::vector<Promised> promised_;
};

// For submission: why a job is refused, because it can never meet the limits of a QOS with
// DenyOnLimit, or because too many jobs wait and run already. Empty = it may be queued. `tasks`:
// the number of tasks of an array.
Text refused_by_limit(const Cluster& cluster, const PlannedRun& run, std::uint64_t tasks);

// Running jobs that have reached a limit, and which.
std::vector<std::pair<JobId, Text>> jobs_over_limits(const Cluster& cluster, Time now);

}  // namespace muster::sched
