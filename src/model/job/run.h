// Run: one run of a job, from its start to its end. A requeue replaces it with a new one. A job
// that has not started has a Run with nothing set.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "base/containers/sparse.h"
#include "base/containers/text.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/job/job_state.h"
#include "model/job/step.h"
#include "model/node/partition.h"
#include "model/node/resources.h"

namespace muster {

// Why a job that comes back to the queue does so by its own options.
enum class Again : std::uint8_t {
  none,
  piece,      // --chunk: the next piece
  retry,      // --retry
  retry_oom,  // --retry-oom
};
constexpr Again last_of(Again) { return Again::retry_oom; }

// What a job that runs in pieces, or is tried again, keeps of its earlier runs.
struct EarlierRuns {
  std::uint32_t pieces = 0, retries = 0, oom_retries = 0;
  Millis run_time{};  // of the pieces
  Time first_started;
  bool operator==(const EarlierRuns&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, pieces);
    v(2, retries);
    v(3, oom_retries);
    v(4, run_time);
    v(5, first_started);
  }
};

// Why a running job is being ended. Set from the order to end it until its processes are gone.
struct Ending {
  JobState becomes = JobState::cancelled;
  Uid by;  // who cancelled
  Time since;
  bool requeue = false;  // back to the queue afterwards ...
  bool hold = false;     // ... held
  Text reason;           // why it ends, or is held then; empty = the usual reason, or on request
  Seconds delay{0};      // ... and does not start again before this has passed
  bool failure = false;  // ... because of a node or a launch; such requeues are limited
  bool special = false;  // ... as SPECIAL_EXIT
  bool from_inside =
      false;         // requested by a command inside the job, which should still get its answer
  Seconds grace{0};  // more time before SIGKILL than KillWait, which the job asked for
  Again again = Again::none;  // ... and why it comes back
  bool operator==(const Ending&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, becomes);
    v(2, by);
    v(3, since);
    v(4, requeue);
    v(5, hold);
    v(6, reason);
    v(7, delay);
    v(8, failure);
    v(9, special);
    v(10, from_inside);
    v(11, grace);
    v(12, again);
  }
};

// A running job was preempted: it has been told, and ends at `kill_at` at the latest.
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

struct Run {
  Time started, ended;                // if the job never ran, both are its end
  Text waited_for;                    // the last reason before it started: "Resources"
  Text reservation;                   // the one it was started in
  bool has_preferred = false;         // its nodes have the features of --prefer
  std::vector<NodeShare> allocation;  // kept after the end, for display
  std::set<NodeId> unfinished;        // nodes that still hold processes of it
  bool preparing = false;             // PrologSlurmctld runs: nothing is launched yet

  std::map<StepId, Step> steps;  // running steps; ended batch and extern steps stay
  std::uint32_t next_step = 0;
  std::map<StepId, Step> queued_steps;  // srun --async: they wait for resources; srun has left
  bool batch_done = false;              // the batch script has reported its end
  bool out_of_memory = false;           // some ended step was out of memory

  Time suspended_at;  // while suspended
  Millis suspended_total{};
  // Gang scheduling: jobs that hold the same CPUs take turns.
  Time turn_since;           // when it last began to run: its start, or its last resume
  bool awaits_turn = false;  // suspended until its turn comes

  Time warned;                // when --signal was sent
  std::set<NodeId> unwarned;  // nodes that could not be reached then
  std::optional<Preemption> preemption;
  std::optional<Ending> ending;
  std::uint32_t exit_status = 0;  // wait status of the batch script or the highest step
  std::uint32_t derived_exit_status = 0;
  Time resized;  // when it last gave nodes back

  Time noticed;           // when it was told that its time limit comes near (--notice, --chunk)
  Time drain_noticed;     // when it was told that a node of it is drained
  Seconds granted{0};     // more time before a stop, as asked for from inside
  Seconds over_limit{0};  // ... of which this much is beyond the time limit
  Sparse<EarlierRuns> earlier;  // stays from run to run

  bool operator==(const Run&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, started);
    v(2, ended);
    v(3, waited_for);
    v(4, reservation);
    v(5, has_preferred);
    v(6, allocation);
    v(7, unfinished);
    v(8, preparing);
    v(9, steps);
    v(10, next_step);
    v(11, queued_steps);
    v(12, batch_done);
    v(13, out_of_memory);
    v(14, suspended_at);
    v(15, suspended_total);
    v(16, turn_since);
    v(17, awaits_turn);
    v(18, warned);
    v(19, unwarned);
    v(20, preemption);
    v(21, ending);
    v(22, exit_status);
    v(23, derived_exit_status);
    v(24, resized);
    v(25, noticed);
    v(26, drain_noticed);
    v(27, granted);
    v(28, over_limit);
    v(29, earlier);
  }
};

}  // namespace muster
