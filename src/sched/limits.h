// LimitBook: what running jobs and past ones count against the limits of QOS and associations
// (sched/rulers.h says which), and which limit keeps one more from starting.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "base/text.h"
#include "model/cluster.h"
#include "sched/amounts.h"
#include "sched/fair_share.h"
#include "sched/rulers.h"

namespace muster::sched {

// A run that is about to start, or could: what it would hold, and for how long.
struct Run {
  const Job* job = nullptr;
  const Partition* partition = nullptr;
  const std::vector<NodeShare>* shares = nullptr;
  const LicenseCounts* licenses = nullptr;
  Minutes limit{};
};

class LimitBook {
 public:
  LimitBook(const Cluster& cluster, Time now, const FairShares* shares = nullptr);

  // The limit that is in the way, in Slurm's words; empty = none. What does not depend on where the
  // job would run, then what does.
  Text before_placing(const Job& job, const Partition& partition, Minutes limit) const;
  Text in_the_way(const Run& run) const;
  void start(const Run& run);

  // The limit that a running job has come up against: it has to end.
  Text used_up_by(const Job& job) const;

 private:
  struct Use {
    std::uint32_t jobs = 0;
    Amounts tres, run_minutes;
    PastUse past;
  };
  void add_past(const Payer& payer, const PastUse& use);
  void add(const Job& job, const Partition* partition, const Amounts& tres, std::uint64_t minutes);
  const Use& use_of(const UseKey& key) const;
  Text by_group(const std::vector<Ruler>& rulers, const Ruler& ruler, const Amounts& wanted,
                const Amounts& minutes) const;

  const Cluster& cluster_;
  Time now_;
  const FairShares* shares_;
  Rulers rulers_;
  std::map<UseKey, Use> uses_;
};

// For submission. One that can never meet the limits of a QOS with DenyOnLimit, or that is one too
// many of those waiting and running; empty = it may be queued. `tasks`: of an array.
Text refused_by_limit(const Cluster& cluster, const Run& run, std::uint64_t tasks);

// Running jobs that have come up against a limit, and which.
std::vector<std::pair<JobId, Text>> jobs_over_limits(const Cluster& cluster, Time now);

}  // namespace muster::sched
