// The ends of steps: kept, and reported until the controller confirms them.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_step_ended(wire::StepEnd end, Time now) {
  const wire::StepRef ref = end.ref;
  running_.erase(ref);
  Ended& ended = ended_.insert_or_assign(ref, Ended{std::move(end), now}).first->second;
  report_end(ended, now);
  report_gone_if_gone({ref.job, ref.attempt}, now);
  start_launches_waiting_for(ref.job, now);
}

void NodeAgent::report_end(Ended& ended, Time now) {
  ended.told = now;
  outbox_.emplace_back(wire::StepEndReport{ended.end});
}

void NodeAgent::on_order(const wire::ConfirmOrder& order, Time) {
  for (const wire::StepRef& step : order.steps) {
    if (ended_.erase(step) == 0) continue;
    host_.forget(step);
    if (!is_unallocated(step.job)) continue;
    // No job ends together with it.
    const AttemptRef attempt{step.job, step.attempt};
    preparations_.forget(attempt);
    host_.clean_up(attempt);
  }
}

}  // namespace muster
