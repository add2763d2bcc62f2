// Events of runs of jobs: from the start to the last process, and back to the queue (see event.h).
#pragma once

#include <cstdint>
#include <set>
#include <vector>

#include "base/containers/text.h"
#include "base/ids.h"
#include "base/text/idset.h"
#include "base/time.h"
#include "model/cluster.h"

namespace muster {

struct JobStarted {
  JobId job;
  Attempt attempt;
  Text partition;
  std::vector<NodeShare> allocation;
  Time at;
  bool runs_batch = true;
  Minutes time_limit{};
  bool preparing = false;         // nothing is launched before JobPrepared
  Text reservation;               // in which it runs
  Text waited_for;                // the reason it had while waiting, if any
  std::uint32_t batch_index = 0;  // the node of the allocation that runs the script
  bool has_preferred = false;     // all nodes have the features of --prefer
  std::uint32_t priority = 0;     // at the start; 0 = as in the record
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
    v(190, priority);
    v(210, batch_index);
    v(211, has_preferred);
  }
};

// Running jobs were told to end; `ending.becomes` is their state once their processes are
// gone.
struct JobsEnding {
  IdSet jobs;
  Ending ending;
  template <class V>
  void fields(V& v) {
    v(1, jobs);
    v(2, ending);
  }
};

struct JobEnded {  // a run is over; nodes in `unfinished` still clean up
  JobId job;
  JobState state = JobState::completed;
  std::uint32_t exit_status = 0, derived_exit_status = 0;
  Time at;
  Text reason;
  bool uncounted = false;  // its usage must still be counted
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

struct JobShrunk {  // a job that goes on gave these nodes back
  JobId job;
  Attempt attempt;
  std::vector<NodeId> nodes;
  Time at;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(3, nodes);
    v(4, at);
  }
};

struct JobRequeued {  // an ended run goes back to the queue; all its nodes are released
  JobId job;
  Time at;
  Hold hold = Hold::none;
  Time eligible;
  Text reason;  // why it is held, if no user asked for it
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, at);
    v(3, hold);
    v(4, eligible);
    v(20, reason);
  }
};

struct JobSuspended {
  JobId job;
  bool resumed = false;
  Time at;
  bool by_turn = false;  // by gang scheduling, not by a user
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, resumed);
    v(3, at);
    v(110, by_turn);
  }
};

struct JobWarned {  // its --signal was sent
  JobId job;
  Time at;
  std::set<NodeId> missed_by;  // nodes that were away; they are told when they are back
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, at);
    v(3, missed_by);
  }
};

struct JobNoticed {  // it was told of a stop to come; an unset time = that is over
  JobId job;
  Time limit;  // that its time limit comes near
  Time drain;  // that a node of it is drained
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, limit);
    v(3, drain);
  }
};

struct GraceExtended {  // the job asked for more time before it is stopped, and got it
  JobId job;
  Seconds by{0};
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, by);
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
  Time at;  // its run time counts from here; unset = from its start
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
    v(120, at);
  }
};

// A mail is due that no other event shows: a part of the time limit has passed, a dependency cannot
// be fulfilled, the first task of an array has begun. It is not sent again.
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

struct EpilogOwed {  // EpilogSlurmctld must run for a run that has ended
  OwedEpilog epilog;
  template <class V>
  void fields(V& v) {
    v(1, epilog);
  }
};

struct EpilogEnded {  // EpilogSlurmctld has ended
  JobId job;
  Attempt attempt;
  template <class V>
  void fields(V& v) {
    v(1, job);
    v(2, attempt);
  }
};

}  // namespace muster
