// Events: every change of the cluster's state, as an outcome. The journal is a sequence of them,
// and apply() (apply.h) is the only code that turns one into a change. An event is never altered
// once released: new fields get new numbers, new kinds go to the end of the variant.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/codec.h"
#include "base/ids.h"
#include "base/idset.h"
#include "base/text.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct EpochStarted {  // a controller took over
  Epoch epoch;
  template <class V>
  void fields(V& v) {
    v(1, epoch);
  }
};
struct ConfigLoaded {
  Cow<ClusterConfig> config;
  template <class V>
  void fields(V& v) {
    v(1, config);
  }
};

// --- jobs ---
struct JobSubmitted {
  Job job;  // complete, with its id
  template <class V>
  void fields(V& v) {
    v(1, job);
  }
};
// A waiting task leaves its array's record and gets one of its own, still pending. Where the task
// is the last one, the array's record itself becomes the task and `id` is the array's.
struct TaskSplit {
  JobId array;
  std::uint32_t task = 0;
  JobId id;
  template <class V>
  void fields(V& v) {
    v(1, array);
    v(2, task);
    v(3, id);
  }
};
struct JobStarted {
  JobId job;
  Attempt attempt;
  Text partition;
  std::vector<NodeShare> allocation;
  Time at;
  bool runs_batch = true;
  Minutes time_limit{};
  bool preparing = false;         // nothing is launched before JobPrepared
  Text reservation;               // that it uses
  Text waited_for;                // the reason why it had to, where there was one
  std::uint32_t batch_index = 0;  // which node of the allocation the script runs on
  bool has_preferred = false;     // all of them have the features of --prefer
  std::uint32_t priority = 0;     // it had when it started; 0 = as the record says
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, partition);
    v(4, allocation);
    v(5, at);
    v(6, runs_batch);
    v(7, time_limit);
    v(20, preparing);
    v(150, reservation);
    v(180, waited_for);
    v(210, batch_index);
    v(211, has_preferred);
    v(190, priority);
  }
};
// Running jobs were told to end: what they become once their processes are gone.
struct JobsEnding {
  IdSet jobs;
  Ending ending;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, ending);
  }
};
struct PendingJobsEnded {  // cancelled, past their deadline, ... without ever running
  IdSet jobs;
  JobState state = JobState::cancelled;
  Uid by;
  Time at;
  Text reason;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, state);
    v(3, by);
    v(4, at);
    v(5, reason);
  }
};
struct TasksCancelled {  // waiting tasks of an array record that will never run
  JobId array;
  IdSet tasks;
  template <class V>
  void fields(V& v) {
    v(1, array);
    v(2, tasks);
  }
};
struct JobEnded {  // a run is over; nodes in `unfinished` still clean up
  JobId job;
  JobState state = JobState::completed;
  std::uint32_t exit_status = 0, derived_exit_status = 0;
  Time at;
  Text reason;
  bool uncounted = false;  // its usage is yet to be counted
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, state);
    v(3, exit_status);
    v(4, derived_exit_status);
    v(5, at);
    v(6, reason);
    v(140, uncounted);
  }
};
struct NodesReleased {  // nothing of the job's current attempt is left on these nodes
  JobId job;
  Attempt attempt;
  std::vector<NodeId> nodes;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, nodes);
    v(120, at);
  }
};
struct JobRequeued {  // an ended run goes back to the queue; all its nodes are released
  JobId job;
  Time at;
  Hold hold = Hold::none;
  Time eligible;
  Text reason;  // why it is held, where that is not somebody's wish
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, at);
    v(3, hold);
    v(4, eligible);
    v(20, reason);
  }
};
struct JobsHeld {
  IdSet jobs;
  Hold hold = Hold::user;      // none = released
  std::uint32_t priority = 0;  // in force afterwards for released jobs
  Text reason;                 // why they are held, where that is not somebody's wish
  Time at;                     // of a release: they become eligible
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, hold);
    v(3, priority);
    v(150, reason);
    v(190, at);
  }
};
struct JobSuspended {
  JobId job;
  bool resumed = false;
  Time at;
  bool by_turn = false;  // gang scheduling, not somebody's wish
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, resumed);
    v(3, at);
    v(110, by_turn);
  }
};
struct JobUpdated {  // the record's new specification and what follows from it
  JobId job;
  Cow<JobSpec> spec;
  std::uint32_t priority = 0;
  Text partition, account, qos;
  Minutes time_limit{};
  std::uint32_t task_limit = 0;
  Time eligible;
  bool priority_fixed = false;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, spec);
    v(3, priority);
    v(4, partition);
    v(5, account);
    v(6, qos);
    v(7, time_limit);
    v(8, task_limit);
    v(9, eligible);
    v(10, priority_fixed);
  }
};
struct JobWarned {  // its --signal was sent
  JobId job;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, at);
  }
};
struct JobsPurged {
  IdSet jobs;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
  }
};

// --- steps ---
struct StepCreated {
  JobId job;
  Step step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};
struct StepQueued {  // srun --async: it starts when there is room, by StepCreated
  JobId job;
  Step step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};
struct StepDequeued {  // it will never start
  JobId job;
  StepId step;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, step);
  }
};
struct StepLimitChanged {  // of steps that wait or run; 0 = none of their own
  JobId job;
  std::vector<StepId> steps;
  Minutes time_limit{0};
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, steps);
    v(3, time_limit);
  }
};
struct StepNodeEnded {  // one node's part of a step (or the batch script) is over
  JobId job;
  Attempt attempt;
  StepId step;
  NodeId node;
  std::uint32_t exit_status = 0;
  bool out_of_memory = false;
  Usage usage;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, step);
    v(4, node);
    v(5, exit_status);
    v(6, out_of_memory);
    v(7, usage);
    v(8, at);
  }
};

// --- nodes and partitions ---
struct NodeRegistered {
  NodeId node;
  NodeFacts facts;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, facts);
    v(3, at);
  }
};
struct NodeChanged {  // health, drain and so on, as they are from now on
  NodeId node;
  NodeHealth health = NodeHealth::unknown;
  bool drain = false, fail = false, future = false, responding = false;
  Text reason;
  Uid reason_uid;
  Time reason_time;
  Text comment;
  std::vector<Text> active_features;
  std::uint32_t weight = 1;
  NodePower power;
  NodeReboot reboot;
  NodeClaim claim, given;
  Text extra;
  std::optional<std::vector<Text>> available_features;  // set where somebody changed them
  template <class V>
  void fields(V& v) {
    v(1, node);
    v(2, health);
    v(3, drain);
    v(4, fail);
    v(5, future);
    v(6, responding);
    v(7, reason);
    v(8, reason_uid);
    v(9, reason_time);
    v(10, comment);
    v(11, active_features);
    v(12, weight);
    v(120, power);
    v(121, reboot);
    v(240, claim);
    v(241, available_features);
    v(320, given);
    v(321, extra);
  }
};
struct PartitionChanged {
  Partition partition;  // whole; new if the name is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, partition);
    v(2, removed);
  }
};

struct ReservationChanged {
  Reservation reservation;  // whole; new if the name is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, reservation);
    v(2, removed);
  }
};
struct JobPreempted {  // it was told to make room
  JobId job;
  Preemption preemption;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, preemption);
  }
};
// PrologSlurmctld has run and its nodes are up: the job's processes may be launched.
struct JobPrepared {
  JobId job;
  Attempt attempt;
  Time at;  // its time counts from here; unset = from its start
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(120, at);
  }
};

// A mail is due, for which nothing else in the state speaks: a part of the time limit has passed, a
// dependency cannot be met, the first task of an array began. It is not sent again.
struct JobMailed {
  JobId job;
  std::uint32_t types = 0;  // MailType
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, types);
    v(3, at);
  }
};
struct NodeAdded {  // a node that is in no file
  NodeConfig config;
  std::vector<Text> partitions;
  template <class V>
  void fields(V& v) {
    v(1, config);
    v(2, partitions);
  }
};
struct NodeRemoved {
  NodeId node;
  template <class V>
  void fields(V& v) {
    v(1, node);
  }
};

struct EpilogOwed {  // EpilogSlurmctld is to run for a run that has ended
  OwedEpilog epilog;
  template <class V>
  void fields(V& v) {
    v(1, epilog);
  }
};
struct EpilogEnded {  // it has
  JobId job;
  Attempt attempt;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
  }
};

struct AssociationChanged {
  Association association;  // whole; new if its key is
  bool removed = false;
  template <class V>
  void fields(V& v) {
    v(1, association);
    v(2, removed);
  }
};
// What running jobs and those that ended have used is counted until `as_of`.
struct UsageCounted {
  Time as_of;
  bool reset = false;                // the past is forgotten first
  std::map<Payer, PastUse> changed;  // the new totals
  template <class V>
  void fields(V& v) {
    v(1, as_of);
    v(2, reset);
    v(3, changed);
  }
};

struct JobsAccruing {  // they have become eligible, and their age counts from now on
  IdSet jobs;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, at);
  }
};
struct PrioritiesReached {  // PriorityFlags=INCR_ONLY: they do not fall below these any more
  std::map<JobId, std::uint32_t> jobs;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
  }
};

using Event =
    std::variant<EpochStarted, ConfigLoaded, JobSubmitted, TaskSplit, JobStarted, JobsEnding,
                 PendingJobsEnded, TasksCancelled, JobEnded, NodesReleased, JobRequeued, JobsHeld,
                 JobSuspended, JobUpdated, JobWarned, JobsPurged, StepCreated, StepNodeEnded,
                 NodeRegistered, NodeChanged, PartitionChanged, ReservationChanged, JobPreempted,
                 JobPrepared, JobMailed, NodeAdded, NodeRemoved, EpilogOwed, EpilogEnded,
                 AssociationChanged, UsageCounted, StepQueued, StepDequeued, JobsAccruing,
                 PrioritiesReached, StepLimitChanged>;

struct EventEntry {
  Event event;
  template <class V>
  void fields(V& v) {
    v(1, event);
  }
};

}  // namespace muster

MUSTER_DECLARE_CODEC(muster::EventEntry)
