// plan: what should start now, what must make room for it, when the rest is expected to start and
// why it waits. A pure function of the cluster's state and the time; the controller validates each
// start again before it takes it.
//
// Jobs are considered in the order of their priority. One that does not fit now is promised the
// earliest time at which it will (conservative backfill): whoever comes after it may only use what
// leaves every promise intact. The budget bounds the work; jobs beyond it wait unexamined, and
// nobody passes them.
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
#include "sched/timeline/profile_notes.h"

namespace muster::sched {

struct Budget {
  std::uint32_t max_starts = 2000;
  std::uint64_t max_questions = 2000000;  // to the profile: what one node has to give at one time
  // For finding out about jobs that cannot start since nothing is free. Beyond that the rest of the
  // queue is not looked at: only the starts matter.
  std::uint64_t max_idle_questions = 2000000;
  bool thorough = true;           // the queue is put in order anew, and looked at to its end
  bool order_changed = true;      // by more than jobs that came, started and ended
  bool tells_of_deferred = true;  // why they wait, too, although nobody need look at them
};
// For a plan after every event: enough to start what can start, and to promise a few.
Budget quick_budget(const Cluster& cluster);
// For a plan every few seconds that tells many jobs when they will start.
Budget thorough_budget(const Cluster& cluster);

struct Start {
  JobId job;  // the record; for an array record `task` says which of its tasks
  std::optional<std::uint32_t> task;
  Text partition;
  std::vector<NodeShare> allocation;
  Minutes time_limit{};          // shorter than asked where --time-min allowed it
  std::vector<JobId> displaces;  // these are suspended: it runs on CPUs of theirs
  Text reservation;              // that it uses
  std::uint32_t priority = 0;    // with which it came to its turn
};

struct Wait {
  JobId job;
  Reason reason = Reason::none;
  Text detail;  // replaces the reason's name where set
};

struct Expected {  // a later start that was promised
  JobId job;
  Time at;
  std::vector<NodeId> nodes;
  std::uint32_t cpus = 0;
};

struct Eviction {  // a running job that has to make room
  JobId victim, by;
  PreemptMode mode = PreemptMode::cancel;
};

struct Plan {
  std::vector<Start> starts;  // in the order in which they were decided
  std::vector<Eviction> evictions;
  std::vector<Wait> waits;         // ascending by job; see Budget::tells_of_deferred
  std::vector<Expected> expected;  // ascending by job
  std::vector<JobId> hopeless;     // jobs whose dependency can never be met, ascending
  IdSet accruing;                  // jobs whose age begins to count
  bool more_starts = false;        // max_starts was reached: plan again
  bool complete = true;            // false: some jobs were not examined
  bool thorough = true;            // what it does not say of a waiting job, no other plan says
};

// What one plan leaves to the next, which then need not look at all nodes and jobs again. It
// changes nothing of what is decided.
struct PlanMemory {
  Queue queue;
  NodeIndex nodes;
  ProfileNotes notes;
};

Plan plan(const Cluster& cluster, Time now, Budget budget, PlanMemory& memory);
Plan plan(const Cluster& cluster, Time now, Budget budget = {});

// What a plan says of a job; nullptr where it says nothing.
const Wait* find_wait(const Plan& plan, JobId job);
const Expected* find_expected(const Plan& plan, JobId job);

}  // namespace muster::sched
