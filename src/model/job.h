// Job: one record of the queue. A pending array is one Job that stands for all tasks which have not
// left it; a task leaves it as a Job of its own when it starts or is treated apart from the others.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/cow.h"
#include "base/ids.h"
#include "base/idset.h"
#include "base/table.h"
#include "base/text.h"
#include "base/time.h"
#include "model/job_spec.h"
#include "model/job_state.h"
#include "model/partition.h"
#include "model/resources.h"
#include "model/step.h"

namespace muster {

// reservation: the one that the job asked for has ended; special_exit: the job ended in a way that
// somebody is to look at (RequeueExitHold), and its user may release it.
enum class Hold : std::uint8_t { none, user, admin, reservation, special_exit };

// Why a running job is being ended: known from the order to end it until its processes are gone.
struct Ending {
  JobState becomes = JobState::cancelled;
  Uid by;  // who cancelled
  Time since;
  bool requeue = false;  // goes back to the queue afterwards
  bool hold = false;     // ... held
  Text reason;           // why it ends, or is held then; empty = as usual, or somebody's wish
  Seconds delay{0};      // ... and not to start again before that has passed
  bool failure = false;  // ... because of a node or a launch: that happens only so often
  bool special = false;  // ... as SPECIAL_EXIT
  bool from_inside =
      false;  // a command that runs in the job asked for it, and is to hear the answer
  bool operator==(const Ending&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, becomes);
    v(2, by);
    v(3, since);
    v(4, requeue);
    v(5, hold);
    v(20, reason);
    v(21, delay);
    v(110, failure);
    v(300, special);
    v(301, from_inside);
  }
};

// A running job that must make room: it was told so and ends at `kill_at` at the latest.
struct Preemption {
  JobId by;
  PreemptMode mode = PreemptMode::cancel;
  Time since, kill_at;
  bool operator==(const Preemption&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, by);
    v(2, mode);
    v(3, since);
    v(4, kill_at);
  }
};

// How the tasks of an array have ended so far; kept in the record that has the array's id, because
// the tasks' own may be gone before the last one ends.
struct ArrayExits {
  std::uint32_t left = 0;                    // tasks that got a record of their own
  std::uint32_t ended = 0;                   // records that have ended
  std::uint32_t min_code = 0, max_code = 0;  // exit codes
  std::uint32_t max_signal = 0;
  bool requeued = false;  // some task ran more than once
  void add(std::uint32_t wait_status);
  bool all_ended() const { return ended == left + 1; }  // the array's own record counts too
  bool operator==(const ArrayExits&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, ended);
    v(2, min_code);
    v(3, max_code);
    v(4, max_signal);
    v(5, requeued);
    v(6, left);
  }
};

// Which job a task of an array is.
using TaskIndex = Table<TaskId, JobId>;

struct Job {
  JobId id;
  Cow<JobSpec> spec;

  // arrays
  JobId array_id;                   // set for every record of an array
  std::uint32_t task_id = kNoTask;  // set for a task with a record of its own
  IdSet waiting_tasks;  // tasks that this record stands for; empty if it is one task or no array
  std::uint32_t task_limit = 0;  // "%N"; 0 = none
  // In the record whose id is array_id, of the tasks that left: their job ids, and who is which.
  // The second knows those too of which only the outcome is left; it is made anew from the records
  // when a state is read.
  IdSet task_jobs;
  Cow<TaskIndex> task_index;

  // heterogeneous jobs: components with ids one after the other, which start together
  JobId het_id;                  // the first component's id; set for every component
  std::uint32_t het_offset = 0;  // its place among them, from 0
  std::uint32_t het_size = 0;    // how many were submitted

  JobState state = JobState::pending;
  Hold hold = Hold::none;
  std::optional<Ending> ending;
  Attempt attempt;  // of the current or last run; 0 = never started
  std::uint32_t restarts = 0;
  std::uint32_t priority = 0;
  Text partition;        // the one it was submitted to (first of a list) or runs in
  Text account, qos;     // in force
  Minutes time_limit{};  // in force; kUnlimited = none

  Time submitted, eligible, started, ended;
  Time suspended_at;  // while suspended
  Millis suspended_total{};
  Time warned;                // when --signal was sent in this attempt
  std::set<NodeId> unwarned;  // nodes that were away then

  std::vector<NodeShare> allocation;  // kept after the end, for display
  std::set<NodeId> unfinished;        // nodes that still hold processes of the current attempt
  bool preparing = false;             // PrologSlurmctld runs: nothing is launched yet
  bool batch_done = false;            // the batch script of this attempt has reported its end
  std::uint32_t exit_status = 0;      // wait status of the batch script or the highest step
  std::uint32_t derived_exit_status = 0;
  Text end_reason;               // "TimeLimit", "NonZeroExitCode", ... after the end
  std::map<StepId, Step> steps;  // that run; the batch script and the extern step stay
  bool out_of_memory = false;    // a step that has ended was
  std::uint32_t next_step = 0;
  std::map<StepId, Step> queued_steps;  // srun --async: they wait for room, srun has gone
  std::optional<Preemption> preemption;
  JobId preempted_by;           // last time it was, this run or an earlier one
  Text waited_for;              // the last reason before it started: "Resources"
  bool priority_fixed = false;  // set by --priority or an administrator: factors do not change it
  // Gang scheduling: jobs that hold the same CPUs take turns.
  Time turn_since;              // when it last began to run: its start, or its last resume
  bool awaits_turn = false;     // suspended until its turn comes
  std::uint32_t failures = 0;   // requeues after failures of nodes or launches
  std::uint32_t displaced = 0;  // requeues because other jobs needed the room
  std::uint32_t mailed = 0;     // MailType bits that were mailed and are not to be mailed again
  ArrayExits array_exits;
  Text reservation;                  // of those it may use, the one it was started in
  bool has_preferred = false;        // its nodes have the features of --prefer
  Time accrues_since;                // from when on its age counts; unset = it does not (yet)
  std::uint32_t least_priority = 0;  // PriorityFlags=INCR_ONLY: what it has had already

  // It is over, or told to be, but processes of it may be left on some node.
  bool completing() const { return (is_ended(state) || ending) && !unfinished.empty(); }
  bool has_only_waited() const { return state == JobState::pending && attempt == Attempt{}; }
  bool is_array_record() const { return !waiting_tasks.empty(); }
  // The task that is left of an array whose others have records of their own; kNoTask = several
  // are.
  std::uint32_t last_task() const {
    return array_exits.left > 0 && waiting_tasks.size() == 1 ? waiting_tasks.min() : kNoTask;
  }
  bool is_het() const { return static_cast<bool>(het_id); }
  bool leads() const { return !is_het() || het_id == id; }  // no component, or the first one
  // The script of a heterogeneous job runs in its first component only.
  bool runs_batch() const { return spec->kind == JobKind::batch && leads(); }
  // RESV_DEL_HOLD
  bool lost_reservation() const { return state == JobState::pending && hold == Hold::reservation; }
  bool special_exit() const { return state == JobState::pending && hold == Hold::special_exit; }
  bool held_by_user() const { return hold == Hold::user || hold == Hold::special_exit; }
  // As asked for, or the one that took it in.
  const Text& shown_reservation() const {
    return spec->reservation.empty() ? reservation : spec->reservation;
  }
  IdSet het_jobs() const;   // ids of all components, whether they are still known or not
  Time end_limit() const;   // when its time limit falls; Time::max() if never or not started
  Time over_since() const;  // since when the run was to end, or had ended; unset while it goes on
  Millis run_time(Time now) const;  // until then
  Time preempt_time() const;        // when this run was told to make room, if it was

  bool operator==(const Job&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, spec);
    v(3, array_id);
    v(4, task_id);
    v(5, waiting_tasks);
    v(6, task_limit);
    v(7, task_jobs);
    v(8, state);
    v(9, hold);
    v(10, ending);
    v(11, attempt);
    v(12, restarts);
    v(13, priority);
    v(14, partition);
    v(15, account);
    v(16, qos);
    v(17, time_limit);
    v(18, submitted);
    v(19, eligible);
    v(20, started);
    v(21, ended);
    v(22, suspended_at);
    v(23, suspended_total);
    v(24, warned);
    v(25, allocation);
    v(26, unfinished);
    v(27, batch_done);
    v(28, exit_status);
    v(29, derived_exit_status);
    v(30, end_reason);
    v(31, steps);
    v(32, next_step);
    v(33, preemption);
    v(34, priority_fixed);
    v(60, preparing);
    v(100, het_id);
    v(101, het_offset);
    v(102, het_size);
    v(110, turn_since);
    v(111, awaits_turn);
    v(112, failures);
    v(120, mailed);
    v(121, array_exits);
    v(150, reservation);
    v(160, queued_steps);
    v(180, preempted_by);
    v(181, waited_for);
    v(190, accrues_since);
    v(191, least_priority);
    v(210, has_preferred);
    v(231, out_of_memory);
    v(232, displaced);
    v(240, unwarned);
  }
};

// "12", "12_3", "12_[4-9%2]", "12+1"
std::string job_name(const Job& job);

}  // namespace muster
