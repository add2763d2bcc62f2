// Job: one record of the queue. A pending array is a single Job that stands for all its waiting
// tasks. A task gets a Job of its own when it starts, or when it is held, changed or cancelled by
// itself.
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

// Why a job is held. reservation: the job's reservation has ended. special_exit: the job was
// requeued and held because of its exit code (RequeueExitHold); its user may release it.
enum class Hold : std::uint8_t { none, user, admin, reservation, special_exit };

// How the tasks of an array have ended so far. Kept in the record with the array's id, because
// records of tasks may be gone before the last task ends.
struct ArrayExits {
  std::uint32_t left = 0;                    // tasks that have got records of their own
  std::uint32_t ended = 0;                   // records that have ended
  std::uint32_t min_code = 0, max_code = 0;  // exit codes
  std::uint32_t max_signal = 0;
  bool requeued = false;  // some task ran more than once
  void add(std::uint32_t wait_status);
  bool all_ended() const { return ended == left + 1; }  // plus the array's own record
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

// The job id of each task of an array.
using TaskIndex = Table<TaskId, JobId>;

// What an array's own record keeps about the tasks that have left it.
struct ArrayRecord {
  IdSet task_jobs;  // their job ids
  // Includes tasks of which only the outcome is left. Rebuilt from the records when a state is
  // read.
  Cow<TaskIndex> task_index;
  ArrayExits exits;
  bool operator==(const ArrayRecord&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, task_jobs);
    v(2, exits);
  }
};

// Queues can be long, so the members are ordered to leave no gaps.
struct Job {
  JobId id;
  Attempt attempt;  // of the current or last run; 0 = never started
  Cow<JobSpec> spec = JobSpec::none();
  JobOwn own;

  // arrays
  JobId array_id;                   // set for every record of an array
  std::uint32_t task_id = kNoTask;  // set for a task with a record of its own
  std::uint32_t task_limit = 0;     // "%N"; 0 = none

  // heterogeneous jobs: components with consecutive ids, which start together
  JobId het_id;                  // the first component's id; set for every component
  std::uint32_t het_offset = 0;  // index of the component, from 0
  std::uint32_t het_size = 0;    // how many were submitted

  IdSet waiting_tasks;  // tasks that this record stands for; empty for a single task or no array
  Sparse<ArrayRecord> array;  // only in the record whose id is array_id

  JobState state = JobState::pending;
  Hold hold = Hold::none;
  bool priority_fixed = false;  // set by --priority or an administrator; factors do not count
  std::uint32_t priority = 0;
  Sparse<Run> run;       // the current or last run
  Text partition;        // the one it runs in; while it waits, the list of those it may start in
  Text account, qos;     // in force
  Minutes time_limit{};  // in force; kUnlimited = none
  Time submitted, eligible;
  Text end_reason;     // "TimeLimit", "NonZeroExitCode", ... or, while it waits, why it is held
  Time accrues_since;  // since when it gains age; unset = it does not (yet)
  std::uint32_t least_priority = 0;  // PriorityFlags=INCR_ONLY: its highest priority so far
  JobId preempted_by;                // the last preemptor, of this run or an earlier one
  std::uint32_t restarts = 0;
  std::uint32_t failures = 0;     // requeues after failures of nodes or launches
  std::uint32_t preemptions = 0;  // requeues because of preemption
  std::uint32_t mailed = 0;       // MailType bits that were mailed and must not be mailed again

  // The job has ended or is ending, but may still have processes on some node.
  bool completing() const { return (is_ended(state) || run->ending) && !run->unfinished.empty(); }
  bool has_only_waited() const { return state == JobState::pending && attempt == Attempt{}; }
  bool is_array_record() const { return !waiting_tasks.empty(); }
  // The last task in an array's record, when all others have records of their own; kNoTask if
  // several are left.
  std::uint32_t last_task() const {
    return array->exits.left > 0 && waiting_tasks.size() == 1 ? waiting_tasks.min() : kNoTask;
  }
  bool is_het() const { return static_cast<bool>(het_id); }
  bool leads() const { return !is_het() || het_id == id; }  // not a component, or the first one
  // The script of a heterogeneous job runs in its first component only.
  bool runs_batch() const { return spec->kind == JobKind::batch && leads(); }
  // RESV_DEL_HOLD
  bool lost_reservation() const { return state == JobState::pending && hold == Hold::reservation; }
  bool special_exit() const { return state == JobState::pending && hold == Hold::special_exit; }
  bool held_by_user() const { return hold == Hold::user || hold == Hold::special_exit; }
  // The reservation it asked for, or else the one it runs in.
  const Text& shown_reservation() const {
    return spec->reservation.empty() ? run->reservation : spec->reservation;
  }
  // The whole request: spec and own together.
  JobRequest request() const;
  void take_request(JobRequest request);
  IdSet het_jobs() const;   // ids of all components, even if no longer known
  Time end_limit() const;   // when the time limit is reached; Time::max() if never or not started
  Time over_since() const;  // when the run ended or was told to end; unset while it goes on
  Millis run_time(Time now) const;  // until it is over
  Time preempt_time() const;        // when this run was preempted; unset = it was not

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
    v(30, preemptions);
    v(31, mailed);
  }
};
static_assert(sizeof(Job) <= 312, "with its reference count 320, a size class of malloc");

// "12", "12_3", "12_[4-9%2]", "12+1"
std::string job_name(const Job& job);

}  // namespace muster
