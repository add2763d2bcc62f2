// LimitBook: what running jobs and past ones count against the limits of QOS and associations
// (sched/limits/rulers.h says which), and which limit keeps one more from starting.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/containers/text.h"
#include "model/cluster.h"
#include "sched/limits/rulers.h"
#include "sched/priority/fair_share.h"
#include "sched/request/amounts.h"

namespace muster::sched {

// A run that is about to start, or could: what it would hold, and for how long.
struct PlannedRun {
  const Job* job = nullptr;
  const Partition* partition = nullptr;
  const std::vector<NodeShare>* shares = nullptr;
  const LicenseCounts* licenses = nullptr;
  Minutes limit{};
};

// What keeps a job back, in Slurm's words; empty = nothing does.
struct LimitHit {
  Text words;
  // Of a limit on the number of jobs that those reach that run: whose. Until one of those who count
  // there has ended, or somebody changes a limit, nobody else can start whom it counts.
  std::optional<UseKey> full = std::nullopt;
  bool empty() const { return words.empty(); }
};

class LimitBook {
 public:
  // As if the jobs in `gone` had left already.
  LimitBook(const Cluster& cluster, Time now, const FairShares* shares = nullptr,
            const std::set<JobId>& gone = {});

  // The limit that is in the way: of those that do not depend on where the job would run, then of
  // those that do.
  LimitHit before_placing(const Job& job, const Partition& partition, Minutes limit) const;
  Text in_the_way(const PlannedRun& run) const;
  void start(const PlannedRun& run);

  // What a run that was promised for later will count is kept for it: whoever would still run then
  // must leave it room. The limit that is in the way of a promise for that time, likewise, and the
  // next time after it at which somebody who counts with it will have gone.
  void promise(const PlannedRun& run, Time from);
  Text in_the_way_at(const PlannedRun& run, Time from) const;
  std::optional<Time> next_release(const PlannedRun& run, Time after) const;

  // The limit that a running job has come up against: it has to end.
  Text used_up_by(const Job& job) const;

 private:
  struct Use {
    std::uint32_t jobs = 0, planned = 0;  // of these by the plan in the making
    Amounts tres, run_minutes;
    PastUse past;
  };
  using Uses = std::map<UseKey, Use>;
  struct Held {  // by a run, during some time
    Time from, until;
    std::set<UseKey> keys;
    Amounts tres;
    bool lasts_at(Time t) const { return from <= t && t < until; }
  };
  struct Promised {  // what counts with a promised run when it starts, itself included
    Time from;
    Uses then;
  };
  void add_past(const Payer& payer, const PastUse& use);
  void add(const Job& job, const Partition* partition, const Amounts& tres, std::uint64_t minutes);
  std::set<UseKey> keys_of(const Job& job, const Partition* partition) const;
  Held held_by(const PlannedRun& run, Time from) const;
  void hold(Held held);
  Uses uses_at(const std::set<UseKey>& keys, Time t) const;
  Text over(const PlannedRun& run, const Amounts& wanted, const Uses& uses) const;
  Text breaks_promise(const PlannedRun& run, const Amounts& wanted, Time from) const;
  const Use& use_of(const UseKey& key) const;
  Text by_group(const std::vector<Ruler>& rulers, const Ruler& ruler, const Amounts& wanted,
                const Amounts& minutes) const;

  const Cluster& cluster_;
  Time now_;
  const FairShares* shares_;
  Rulers rulers_;
  Uses uses_;  // now
  std::vector<Held> held_;
  std::vector<Promised> promised_;
};

// For submission. One that can never meet the limits of a QOS with DenyOnLimit, or that is one too
// many of those waiting and running; empty = it may be queued. `tasks`: of an array.
Text refused_by_limit(const Cluster& cluster, const PlannedRun& run, std::uint64_t tasks);

// Running jobs that have come up against a limit, and which.
std::vector<std::pair<JobId, Text>> jobs_over_limits(const Cluster& cluster, Time now);

}  // namespace muster::sched
