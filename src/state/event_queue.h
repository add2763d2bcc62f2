// Events of pending jobs, and of records that are added and removed (see event.h).
#pragma once

#include <cstdint>
#include <map>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct JobSubmitted {
  Job job;  // complete, with its id
  template <class V>
  void fields(V& v) {
    v(1, job);
  }
};

// A waiting task leaves its array's record and gets a record of its own, still pending. If it is
// the last task, the array's record itself becomes the task's, and `id` is the array's.
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

struct PendingJobsEnded {  // cancelled, past their deadline, ...; they never ran
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

struct JobsHeld {
  IdSet jobs;
  Hold hold = Hold::user;      // none = released
  std::uint32_t priority = 0;  // of released jobs, from now on
  Text reason;                 // why they are held, if no user asked for it
  Time at;                     // of a release: when they become eligible
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, hold);
    v(3, priority);
    v(150, reason);
    v(190, at);
  }
};

struct JobUpdated {  // the record's new specification and what follows from it
  JobId job;
  Cow<JobSpec> spec;
  JobOwn own;
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
    v(3, own);
    v(4, priority);
    v(5, partition);
    v(6, account);
    v(7, qos);
    v(8, time_limit);
    v(9, task_limit);
    v(10, eligible);
    v(11, priority_fixed);
  }
};

struct JobsPurged {
  IdSet jobs;             // removed completely
  IdSet remembered = {};  // of these the outcome is kept, because somebody waits for them
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, remembered);
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

// PriorityFlags=INCR_ONLY: they do not fall below these priorities any more.
struct PrioritiesReached {
  std::map<JobId, std::uint32_t> jobs;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
  }
};

}  // namespace muster
