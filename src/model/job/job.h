// Job: one record of the queue. A pending array is one Job that stands for all tasks which have not
// left it; a task leaves it as a Job of its own when it starts or is treated apart from the others.
#pragma once

#include <cstdint>
#include <string>

#include "base/containers/cow.h"
#include "base/containers/sparse.h"
#include "base/containers/table.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/job/job_spec.h"
#include "model/job/job_state.h"
#include "model/job/run.h"

namespace muster {

// reservation: the one that the job asked for has ended; special_exit: the job ended in a way that
// somebody is to look at (RequeueExitHold), and its user may release it.
enum class Hold : std::uint8_t { none, user, admin, reservation, special_exit };

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

// An array's own record keeps what is to be known of the tasks that have left it.
struct ArrayRecord {
  IdSet task_jobs;  // their job ids
  // Who is which, those included of which only the outcome is left. It is made anew from the
  // records when a state is read.
  Cow<TaskIndex> task_index;
  ArrayExits exits;
  bool operator==(const ArrayRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, task_jobs);
    v(2, exits);
  }
};

// A long queue is made of these: members stand so that there are no gaps between them.
struct Job {
  JobId id;
  Attempt attempt;  // of the current or last run; 0 = never started
  Cow<JobSpec> spec = JobSpec::none();
  JobOwn own;

  // arrays
  JobId array_id;                   // set for every record of an array
  std::uint32_t task_id = kNoTask;  // set for a task with a record of its own
  std::uint32_t task_limit = 0;     // "%N"; 0 = none

  // heterogeneous jobs: components with ids one after the other, which start together
  JobId het_id;                  // the first component's id; set for every component
  std::uint32_t het_offset = 0;  // its place among them, from 0
  std::uint32_t het_size = 0;    // how many were submitted

  IdSet waiting_tasks;  // tasks that this record stands for; empty if it is one task or no array
  Sparse<ArrayRecord> array;  // in the record whose id is array_id

  JobState state = JobState::pending;
  Hold hold = Hold::none;
  bool priority_fixed = false;  // set by --priority or an administrator: factors do not change it
  std::uint32_t priority = 0;
  Sparse<Run> run;       // the current or last one
  Text partition;        // the one it was submitted to (first of a list) or runs in
  Text account, qos;     // in force
  Minutes time_limit{};  // in force; kUnlimited = none
  Time submitted, eligible;
  Text end_reason;     // "TimeLimit", "NonZeroExitCode", ... or, while it waits, why it is held
  Time accrues_since;  // from when on its age counts; unset = it does not (yet)
  std::uint32_t least_priority = 0;  // PriorityFlags=INCR_ONLY: what it has had already
  JobId preempted_by;                // last time it was, this run or an earlier one
  std::uint32_t restarts = 0;
  std::uint32_t failures = 0;   // requeues after failures of nodes or launches
  std::uint32_t displaced = 0;  // requeues because other jobs needed the room
  std::uint32_t mailed = 0;     // MailType bits that were mailed and are not to be mailed again

  // It is over, or told to be, but processes of it may be left on some node.
  bool completing() const { return (is_ended(state) || run->ending) && !run->unfinished.empty(); }
  bool has_only_waited() const { return state == JobState::pending && attempt == Attempt{}; }
  bool is_array_record() const { return !waiting_tasks.empty(); }
  // The task that is left of an array whose others have records of their own; kNoTask = several
  // are.
  std::uint32_t last_task() const {
    return array->exits.left > 0 && waiting_tasks.size() == 1 ? waiting_tasks.min() : kNoTask;
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
    return spec->reservation.empty() ? run->reservation : spec->reservation;
  }
  // What was asked for, whole.
  JobRequest request() const;
  void take_request(JobRequest request);
  IdSet het_jobs() const;   // ids of all components, whether they are still known or not
  Time end_limit() const;   // when its time limit falls; Time::max() if never or not started
  Time over_since() const;  // since when the run was to end, or had ended; unset while it goes on
  Millis run_time(Time now) const;  // until then
  Time preempt_time() const;        // when this run was told to make room, if it was

  bool operator==(const Job&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, attempt);
    v(3, spec);
    v(4, own);
    v(5, array_id);
    v(6, task_id);
    v(7, task_limit);
    v(8, het_id);
    v(9, het_offset);
    v(10, het_size);
    v(11, waiting_tasks);
    v(12, array);
    v(13, state);
    v(14, hold);
    v(15, priority_fixed);
    v(16, priority);
    v(17, run);
    v(18, partition);
    v(19, account);
    v(20, qos);
    v(21, time_limit);
    v(22, submitted);
    v(23, eligible);
    v(24, end_reason);
    v(25, accrues_since);
    v(26, least_priority);
    v(27, preempted_by);
    v(28, restarts);
    v(29, failures);
    v(30, displaced);
    v(31, mailed);
  }
};
static_assert(sizeof(Job) <= 312, "with its count of references 320, a size that is kept for it");

// "12", "12_3", "12_[4-9%2]", "12+1"
std::string job_name(const Job& job);

}  // namespace muster
