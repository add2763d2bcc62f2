// JobOutcome: what is kept of a job whose record is gone, for jobs that depend on it.
#pragma once

#include "base/containers/cow.h"
#include "base/ids.h"
#include "base/time.h"
#include "model/job/job.h"

namespace muster {

struct JobOutcome {
  JobId id, array_id;
  std::uint32_t task_id = kNoTask;
  JobState state = JobState::completed;
  bool has_run = false;
  Time started, ended;
  bool some_task_failed = false;  // for an array: includes tasks whose records are gone
  Cow<TaskIndex> task_index;      // for an array: see ArrayRecord
  bool operator==(const JobOutcome&) const = default;
  template <class V>
  void fields(V& v) {
    v(1, id);
    v(2, array_id);
    v(3, task_id);
    v(4, state);
    v(5, has_run);
    v(6, started);
    v(7, ended);
    v(8, some_task_failed);
  }
};

inline JobOutcome outcome_of(const Job& job) {
  return {.id = job.id,
          .array_id = job.array_id,
          .task_id = job.task_id,
          .state = job.state,
          .has_run = static_cast<bool>(job.attempt),
          .started = job.run->started,
          .ended = job.run->ended,
          .some_task_failed = job.array->exits.max_code > 0 || job.array->exits.max_signal > 0,
          .task_index = job.array->task_index};
}

}  // namespace muster
