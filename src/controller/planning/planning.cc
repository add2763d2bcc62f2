// Starts plans, keeps their results, and publishes the state.
#include "controller/planning/planning.h"

namespace muster::controller {

void Planning::begin_if_wanted() {
  constexpr Seconds kDeepPlanEvery{5};
  if (planning_ || !ledger_.plan_wish().wanted) return;
  const Cluster& cluster = ledger_.cluster();
  const Time now = ledger_.now();
  // Every few seconds a plan looks at the whole queue; other plans must be quick.
  const bool deep = now - last_deep_ >= kDeepPlanEvery;
  sched::Budget budget = deep ? sched::thorough_budget(cluster) : sched::quick_budget(cluster);
  budget.order_changed = ledger_.take_plan_wish().order_changed;
  planning_ = true;
  try {
    host_.start_planning(cluster, now, budget);
  } catch (...) {
    planning_ = false;
    ledger_.want_plan_anew();
    throw;
  }
  if (deep) last_deep_ = now;
}

void Planning::keep(sched::Plan plan) {
  last_ = std::make_shared<sched::Plan>(std::move(plan));
  if (last_->thorough || last_->complete) thorough_ = last_;
  last_at_ = ledger_.now();
}

// Plans skip jobs that cannot start yet; for these the specification shows the reason.
Text Planning::why_it_waited(JobId id) const {
  for (const auto& plan : {last_, thorough_})
    if (const auto wait = sched::find_wait(*plan, id))
      return wait->detail.empty() ? Text(sched::reason_name(wait->reason)) : wait->detail;
  const Job& job = ledger_.job(id);
  if (!job.own.dependency.empty()) return sched::reason_name(sched::Reason::dependency);
  if (job.own.begin > job.submitted) return sched::reason_name(sched::Reason::begin_time);
  return {};
}

void Planning::on_clock_step(Millis by) {
  for (Time* time : {&last_at_, &last_deep_})
    if (is_set(*time)) *time += by;
}

}  // namespace muster::controller
