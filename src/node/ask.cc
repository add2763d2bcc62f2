// What processes of jobs are told of a stop to come, and what they ask for in return.
#include "node/agent.h"

namespace muster {

void NodeAgent::on_order(const wire::StopNoticeOrder& order, Time now) {
  host_.post_notice({order.job, order.attempt}, order.notice);
  if (!order.extends) return;
  const Time deadline = now + order.notice.left;
  each_running_of(order.job, order.attempt, [&](const wire::StepRef& step) {
    std::optional<Time>& kill_at = running_.at(step);
    if (kill_at) kill_at = std::max(*kill_at, deadline);
  });
}

JobAskId NodeAgent::on_job_ask(AttemptRef attempt, JobAsk what, Seconds by, Time now) {
  const JobAskId id = ++last_ask_;
  // Without a controller it is refused on the next tick, when the caller knows its number.
  asks_[id] = connected_ ? now + options_.answer_wait : now;
  if (connected_)
    outbox_.emplace_back(wire::JobAskReport{
        .ask = id, .job = attempt.job, .attempt = attempt.attempt, .what = what, .by = by});
  return id;
}

void NodeAgent::on_order(const wire::JobAnswerOrder& order, Time) {
  if (asks_.erase(order.ask) > 0) host_.answer_job(order.ask, order.refusal, order.granted);
}

void NodeAgent::refuse_asks(Time now) {
  std::erase_if(asks_, [&](const auto& ask) {
    if (now < ask.second) return false;
    host_.answer_job(ask.first, "slurmctld does not answer", Seconds{0});
    return true;
  });
}

}  // namespace muster
