// Changes a step when one of its nodes reports the end of its part.
#include "state/step_end.h"

#include <algorithm>

namespace muster {

namespace {

// The final state of a step that ended by itself.
JobState end_state(const Step& step) {
  if (step.out_of_memory) return JobState::out_of_memory;
  if (step.exit_status & 0x7f) {
    bool ran_out = step.time_limit.count() > 0 && step.ended >= step.started + step.time_limit;
    return ran_out ? JobState::timeout : JobState::cancelled;
  }
  return step.exit_status == 0 ? JobState::completed : JobState::failed;
}

}  // namespace

Step with_end(Step step, const StepNodeEnded& end) {
  step.unfinished.erase(end.node);
  step.exit_status = std::max(step.exit_status, end.exit_status);
  step.out_of_memory |= end.out_of_memory;
  if (end.usage != Usage{}) {
    if (!step.usage) step.usage = Cow(Usage{});
    step.usage.edit().add(end.usage);
  }
  if (!step.unfinished.empty()) return step;
  step.ended = end.at;
  step.state = end_state(step);
  step.request = {};
  return step;
}

}  // namespace muster
