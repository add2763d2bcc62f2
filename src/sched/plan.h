// plan: which jobs start now, which jobs are preempted for them, when the other jobs are expected
// to start and why they wait. A pure function of the cluster's state and the time. The controller
// checks each start again before it carries it out.
//
// Jobs are considered in order of priority. A job that does not fit now is promised the earliest
// time at which it will fit (conservative backfill). Jobs of lower priority may only start if every
// promise can still be kept. The budget bounds the work: jobs beyond it are not examined, and no
// job behind them starts.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/cluster.h"
#include "sched/queue.h"
#include "sched/request/reason.h"
#include "sched/timeline/node_index.h"
#include "sched/timeline/profile_scratch.h"

namespace muster::sched {

struct Budget {
  std::uint32_t max_starts = 2000;
  // A probe asks the profile what is free on one node at one time.
  std::uint64_t max_probes = 2000000;
  // Once the cluster is full: the probes that may be spent on promises for jobs that cannot start.
  // After that the rest of the queue is not examined.
  std::uint64_t max_probes_when_full = 2000000;
  bool thorough = true;           // sort the queue again and examine it to its end
  bool order_changed = true;      // false: since the last plan jobs only came, started or ended
  bool explains_deferred = true;  // list the reasons of deferred jobs too
};
// For a plan after every event: enough to start what can start, and to make a few promises.
Budget quick_budget(const Cluster& cluster);
// For the plan every few seconds that finds start times for many jobs.
Budget thorough_budget(const Cluster& cluster);

// How much of the queue a plan went through.
struct PlanWork {
  std::uint32_t queued = 0;    // jobs that may start; once for each partition that they wait in
  std::uint32_t examined = 0;  // of these
  std::uint32_t tried = 0;     // examined jobs that only lacked nodes
  std::uint32_t promised = 0;  // times at which jobs that cannot start now were promised to
};

struct Start {
  JobId job;  // a job or an array record; for an array record `task` names the task
  std::optional<std::uint32_t> task;
  Text partition;
  std::vector<NodeShare> allocation;
  Minutes time_limit{};         // may be shorter than requested if --time-min is set
  std::vector<JobId> suspends;  // jobs to suspend: the new job runs on their CPUs
  Text reservation;             // the reservation that the job uses, if any
  std::uint32_t priority = 0;   // its priority when it was considered
  bool backfilled = false;      // a job before it in the queue waits for the same nodes
};

struct Wait {
  JobId job;
  Reason reason = Reason::none;
  Text detail;  // if set, shown instead of the reason's name
};

struct Expected {  // a promised later start
  JobId job;
  Time at;
  std::vector<NodeId> nodes;
  std::uint32_t cpus = 0;
};

struct Eviction {  // a running job that is preempted for another one
  JobId victim, by;
  PreemptMode mode = PreemptMode::cancel;
};

struct Plan {
  std::vector<Start> starts;  // in order of decision
  std::vector<Eviction> evictions;
  std::vector<Wait> waits;         // ascending by job; see Budget::explains_deferred
  LimitsMet limits_met;            // jobs that were not examined because of a limit
  std::vector<Expected> expected;  // ascending by job
  std::vector<JobId> hopeless;     // jobs whose dependency can never be met, ascending
  IdSet accruing;                  // jobs whose age begins to count towards their priority
  bool more_starts = false;        // max_starts was reached: plan again
  bool complete = true;            // false: some jobs were not examined
  bool thorough = true;  // the whole queue was examined: older plans need not be consulted
  PlanWork work;
};

// What one plan keeps for the next, so that the next one need not look at all nodes and jobs again.
// It never changes what a plan decides.
struct PlannerCache {
  Queue queue;
  NodeIndex nodes;
  ProfileScratch scratch;
};

Plan plan(const Cluster& cluster, Time now, Budget budget, PlannerCache& cache);
Plan plan(const Cluster& cluster, Time now, Budget budget = {});

// What a plan says about a job; nothing if it says nothing.
std::optional<Wait> find_wait(const Plan& plan, JobId job);
const Expected* find_expected(const Plan& plan, JobId job);

}  // namespace muster::sched
