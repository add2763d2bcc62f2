// Handles everything except requests and reports: commits, finished plans, and time.
#include "controller/core.h"

#include "controller/contact/register.h"
#include "controller/jobs/gang.h"
#include "controller/jobs/limits.h"
#include "controller/jobs/mailing.h"
#include "controller/jobs/preempt.h"
#include "controller/jobs/release.h"
#include "controller/jobs/step_end.h"

namespace muster::controller {

void Core::flush(Time now) {
  ledger_.set_now(now);
  if (!ledger_.is_disk_full()) steps_.start_waiting();
  if (!ledger_.is_disk_full() && ledger_.settings().preempt.gang) gang_switch(ledger_);
  if (!ledger_.is_disk_full() && ledger_.has_changed_nodes()) triggers_.look();
  planning_.begin_if_wanted();
  if (ledger_.has_flight() || !ledger_.has_open()) return;
  if (planning_.is_under_way() && ledger_.only_awaits_plan()) return;
  if (const Batch* batch = ledger_.seal()) return host_.commit(*batch);
  on_committed(CommitOutcome::committed);
}

void Core::on_committed(CommitOutcome outcome) {
  auto flight = ledger_.land(outcome);
  if (!flight) return;  // nothing leaves; on_tick tries again
  if (!flight->batch.events.empty()) {
    planning_.publish();
    if (ledger_.settings().accounting)
      host_.account({std::move(flight->rest.changes), ledger_.committed(), flight->batch.number});
  }
  for (LogEntry& entry : merged(std::move(flight->rest.log))) host_.log_event(std::move(entry));
  for (auto& [to, answer] : flight->rest.replies) host_.reply(to, std::move(answer));
  links_.send(std::move(flight->rest.orders));
  links_.send_effects(flight->rest.touched_nodes);
  for (SiteProgramRun& run : flight->rest.programs) host_.run_program(std::move(run));
  allocations_.answer_waiters_of(flight->rest.changed_jobs);
  flush(ledger_.now());
}

void Core::on_planned(sched::Plan plan, Time now, std::chrono::microseconds took) {
  ledger_.set_now(now);
  ledger_.note_plan();
  statistics_.note_plan(plan, took);
  begin_to_accrue(ledger_, plan.accruing);  // also those that start: they have become eligible
  for (std::span<const sched::Start> rest = plan.starts; !rest.empty();) {
    const auto group = first_group(ledger_.cluster(), rest);
    if (starter_.start_all_or_none(group))
      for (const sched::Start& start : group) {
        statistics_.note_start(start);
        steps_.start_first(start.job);
      }
    rest = rest.subspan(group.size());
  }
  if (uses_replaced_nodes(ledger_.cluster(), plan.starts)) reservations_.tick();
  for (const sched::Eviction& eviction : plan.evictions) evict(ledger_, links_, eviction);
  if (plan.more_starts) ledger_.want_plan();
  cancel_hopeless(ledger_, plan);
  planning_.keep(std::move(plan));
  planning_.publish_if_quiet();
}

void Core::on_program_ended(const SiteProgramRun& run, bool succeeded, Time now) {
  ledger_.set_now(now);
  programs_.on_ended(run, succeeded);
}

void Core::on_client_closed(std::uint64_t connection, Time now) {
  ledger_.set_now(now);
  steps_.on_client_closed(connection);
  allocations_.on_client_closed(connection);
}

bool Core::serves(std::uint64_t connection) const {
  return allocations_.serves(connection) || steps_.serves(connection);
}

void Core::on_node_closed(NodeConnection from, Time now) {
  ledger_.set_now(now);
  links_.close(from);
}

void Core::on_clock_difference(const Text& node, Seconds ahead, Time now) {
  ledger_.set_now(now);
  controller::on_clock_difference(ledger_, links_, node, ahead);
}

void Core::on_tick(Time now) {
  ledger_.set_now(now);
  if (ledger_.is_disk_full() && ledger_.has_flight()) return host_.commit(ledger_.flying());
  mail_time_limits(ledger_);
  enforce_limits(ledger_, links_);
  usage_clock_.tick();
  statistics_.tick();
  end_over_limits(ledger_);
  end_graces(ledger_);
  gang_switch(ledger_);
  reservations_.tick();
  triggers_.tick();
  watch_nodes(ledger_, links_, allocations_);
  links_.order_health_checks();
  power_.tick();
  end_orphans(ledger_, allocations_);
  steps_.tick();
  enforce_step_limits(ledger_);
  allocations_.answer_all_waiters();
  purge_old_jobs(ledger_);
  planning_.set_loads(links_.loads());
  planning_.publish_if_quiet();
  // Begin times and dependencies with delays become due without an event.
  if (!ledger_.cluster().pending.empty()) ledger_.want_plan();
}

}  // namespace muster::controller
