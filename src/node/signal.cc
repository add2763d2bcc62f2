// Signals to running steps, suspending and resuming.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_order(const wire::SignalOrder& order, Time) {
  if (order.signal == 0) return;
  each_running_of(order.job, order.attempt, [&](const wire::StepRef& step) {
    const bool is_batch = step.step == kBatchStep;
    const bool is_numbered = !is_batch && step.step != kExternStep;
    if (is_batch && order.batch && !order.whole_batch)
      return host_.signal(step, order.signal, SignalScope::leader);
    if (order.announce && order.steps.contains(step.step)) host_.announce(step, "");
    if (order.steps.contains(step.step) || (is_batch && order.whole_batch) ||
        (is_numbered && order.all_steps))
      host_.signal(step, order.signal, SignalScope::everything);
  });
}

// What is not launched yet is launched when the job is resumed.
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
