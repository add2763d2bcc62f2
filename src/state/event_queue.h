// Events of jobs that wait, and of records that come and go (see event.h).
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "base/codec/delta.h"
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

// Somebody changed what the job asks for. Only what is another than before is here.
struct JobUpdated {
  JobId job;
  Delta<JobSpec> spec = {};
  Delta<JobOwn> own = {};
  // what follows from it
  std::optional<std::uint32_t> priority = {};
  std::optional<Text> partition = {}, account = {}, qos = {};
  std::optional<Minutes> time_limit = {};
  std::optional<std::uint32_t> task_limit = {};
  std::optional<Time> eligible = {};
  std::optional<bool> priority_fixed = {};
  bool operator==(const JobUpdated&) const = default;
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
  IdSet jobs;             // nothing is left of them
  IdSet remembered = {};  // of these, how they ended: somebody waits for them
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

struct PrioritiesReached {  // PriorityFlags=INCR_ONLY: they do not fall below these any more
  std::map<JobId, std::uint32_t> jobs;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
  }
};

}  // namespace muster
