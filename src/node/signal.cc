// Signals and messages to running steps, suspending and resuming.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_order(const wire::SignalOrder& order, Time) {
  if (order.signal == 0) return;
  each_running_of(order.job, order.attempt, [&](const wire::StepRef& step) {
    const bool is_batch = step.step == kBatchStep;
    const bool is_numbered = !is_batch && step.step != kExternStep;
    if (!(is_batch && order.batch) && !(is_numbered && order.all_steps) &&
        !order.steps.contains(step.step))
      return;
    if (order.announce) host_.announce(step, "", false);
    SignalScope scope = order.notice ? SignalScope::notice : SignalScope::everything;
    if (is_batch && !order.whole_batch) scope = SignalScope::leader;
    host_.signal(step, order.signal, scope);
  });
}

void NodeAgent::on_order(const wire::NotifyOrder& order, Time) {
  each_running_of(order.job, order.attempt, [&](const wire::StepRef& step) {
    if (step.step == kBatchStep) host_.notify(step, order.text);
  });
}

// Steps that are not launched yet are launched when the job is resumed.
void NodeAgent::on_order(const wire::SuspendOrder& order, Time now) {
  if (order.resume)
    suspended_.erase({order.job, order.attempt});
  else
    suspended_.insert({order.job, order.attempt});
  each_running_of(order.job, order.attempt,
                  [&](const wire::StepRef& step) { host_.suspend(step, order.resume); });
  if (order.resume) start_launches_waiting_for(order.job, now);
}

}  // namespace muster
