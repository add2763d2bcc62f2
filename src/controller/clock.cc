// Clocks: what a step of our own changes (nothing that runs), and nodes whose clock differs so much
// from ours that munge refuses them. Such a node is there and runs its jobs: they are not lost.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "controller/core.h"
#include "controller/nodes/health.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {

void Core::on_clock_step(Millis by, Time now) {
  now_ = now;
  host_.log(fmt::format("the clock went {} by {:.1f} s: time limits and waits do not count that",
                        by > Millis{0} ? "forward" : "back",
                        std::abs(static_cast<double>(by.count())) / 1000));
  count_usage(now - by);  // while all of it is told by one clock
  record(ClockStepped{by});
  for (auto& [id, load] : loads_)
    if (is_set(load.last_contact)) load.last_contact += by;
  for (auto& [id, last] : wrong_clocks_) last += by;
  for (auto& [id, session] : sessions_)
    session.health_round = health_round(cluster_.settings().health_check, id, now);
  for (WaitingStep& step : waiting_steps_)
    if (step.until != Time::max()) step.until += by;
  for (auto& [id, since] : orphans_) since += by;
  for (auto& [name, at] : reservation_used_) at += by;
  for (Time* time : {&last_plan_at_, &last_deep_plan_, &priorities_noted_})
    if (is_set(*time)) *time += by;
  suspend_rate_.move(by);
  resume_rate_.move(by);
  want_plan();
}

// Nobody could reach us meanwhile, so nobody was silent.
void Core::on_standstill(Millis span, Time now) {
  now_ = now;
  host_.log(fmt::format("stood still for {:.1f} s: nodes are given that time to be heard",
                        static_cast<double>(span.count()) / 1000));
  for (auto& [id, load] : loads_)
    if (is_set(load.last_contact)) load.last_contact = std::min(load.last_contact + span, now);
  for (auto& [id, last] : wrong_clocks_) last = std::min(last + span, now);
  for (auto& [id, since] : orphans_) since = std::min(since + span, now);
}

void Core::on_clock_difference(const Text& name, Seconds ahead, Time now) {
  now_ = now;
  const Node* node = cluster_.find_node(name);
  if (!node) return;
  wrong_clocks_[node->id] = now;
  const std::string why = clock_reason(ahead);
  if (node->reason == why) return;
  host_.log_error(fmt::format("node {} is refused by munge: its {}", name.view(), why));
  // What somebody or something else said of it stays.
  if (!node->reason.empty() && !is_clock_reason(node->reason) && node->reason != kNotResponding)
    return;
  NodeChanged change = current(*node);
  change.responding = false;
  change.reason = why;
  change.reason_uid = options_.slurm_user;
  change.reason_time = now;
  record(change);
  want_plan();
}

// slurmd tries again every few seconds.
bool Core::knocks(NodeId node, Time now) const {
  constexpr Seconds kSomeTries{30};
  auto last = wrong_clocks_.find(node);
  return last != wrong_clocks_.end() &&
         now - last->second < std::max(cluster_.settings().slurmd_timeout, kSomeTries);
}

}  // namespace muster::controller
