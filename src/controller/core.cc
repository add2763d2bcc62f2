// Handles everything except requests and reports: commits, finished plans, and time.
#include "controller/core.h"

#include "controller/contact/register.h"
#include "controller/jobs/gang.h"
#include "controller/jobs/limits.h"
#include "controller/jobs/mailing.h"
#include "controller/jobs/notices.h"
#include "controller/jobs/preempt.h"
#include "controller/jobs/release.h"
#include "controller/jobs/step_end.h"

namespace muster::controller {

namespace {

// What waits for a commit leaves, piece by piece. A piece for which memory does not suffice stays,
// with those behind it.
void release_landed(Ledger& ledger, Host& host, Planning& planning, NodeLinks& links,
                    Allocations& allocations) {
  std::optional<Flight>& flight = ledger.landed();
  if (!flight) return;
  OpenBatch& rest = flight->rest;
  if (!flight->batch.events.empty()) {
    planning.publish();
    if (ledger.settings().accounting)
      host.account({rest.changes, ledger.committed(), flight->batch.number});
    flight->batch.events.clear();
  }
  for (LogEntry& entry : merged(std::exchange(rest.log, {}))) host.log_event(std::move(entry));
  for (std::size_t& sent = flight->replies_sent; sent < rest.replies.size(); ++sent)
    host.reply(rest.replies[sent].first, rest.replies[sent].second);
  links.send(rest.orders);
  links.send_effects(rest.touched_nodes);
  for (std::size_t& run = flight->programs_run; run < rest.programs.size(); ++run)
    host.run_program(rest.programs[run]);
  allocations.answer_waiters_of(rest.changed_jobs);
  flight.reset();
}

}  // namespace

void Core::flush(Time now) {
  ledger_.set_now(now);
  release_landed(ledger_, host_, planning_, links_, allocations_);
  attempts_.all_or_nothing([&] {
    if (ledger_.is_disk_full()) return;
    steps_.start_waiting();
    if (ledger_.settings().preempt.gang) gang_switch(ledger_);
    triggers_.look();
  });
  planning_.begin_if_wanted();
  if (ledger_.has_flight() || !ledger_.has_open()) return;
  if (planning_.is_under_way() && ledger_.only_awaits_plan()) return;
  const Batch* batch = ledger_.seal();
  links_.launches().forget_over();
  if (batch) return host_.commit(*batch);
  on_committed(CommitOutcome::committed);
}

void Core::on_committed(CommitOutcome outcome) {
  ledger_.land(outcome);
  if (ledger_.landed()) flush(ledger_.now());
}

void Core::on_planned(sched::Plan plan, Time now, std::chrono::microseconds took) {
  ledger_.set_now(now);
  ledger_.note_plan();
  statistics_.note_plan(plan, took);
  // Those that start have become eligible as well. Each group of starts happens, or is planned
  // again.
  bool all = attempts_.succeeds([&] { begin_to_accrue(ledger_, plan.accruing); });
  for (std::span<const sched::Start> rest = plan.starts; all && !rest.empty();) {
    const auto group = first_group(ledger_.cluster(), rest);
    all = attempts_.succeeds([&] {
      if (starter_.start_all_or_none(group))
        for (const sched::Start& start : group) {
          statistics_.note_start(start);
          steps_.start_first(start.job);
        }
    });
    rest = rest.subspan(group.size());
  }
  all = all && attempts_.succeeds([&] {
    if (uses_replaced_nodes(ledger_.cluster(), plan.starts)) reservations_.tick();
    for (const sched::Eviction& eviction : plan.evictions) evict(ledger_, links_, eviction);
    cancel_hopeless(ledger_, plan);
  });
  if (plan.more_starts) ledger_.want_plan();
  all = attempts_.succeeds([&] {
    planning_.keep(std::move(plan));
    planning_.publish_if_quiet();
  }) && all;
  if (all) return;
  ledger_.want_plan();
  ledger_.log_error("there is not enough memory for what is planned: it is planned again");
}

void Core::on_program_ended(const SiteProgramRun& run, bool succeeded, Time now) {
  ledger_.set_now(now);
  attempts_.all_or_nothing([&] { programs_.on_ended(run, succeeded); });
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
  attempts_.all_or_nothing([&] { controller::on_clock_difference(ledger_, links_, node, ahead); });
}

void Core::on_tick(Time now) {
  ledger_.set_now(now);
  if (const Batch* batch = ledger_.take_failed()) return host_.commit(*batch);
  bool all = true;
  auto part = [&](auto&& work) { all = attempts_.succeeds(work) && all; };
  part([&] { mail_time_limits(ledger_); });
  part([&] { give_notices(ledger_); });
  part([&] { enforce_limits(ledger_, links_); });
  part([&] { usage_clock_.tick(); });
  statistics_.tick();
  part([&] { end_over_limits(ledger_); });
  part([&] { end_graces(ledger_); });
  part([&] { gang_switch(ledger_); });
  part([&] { reservations_.tick(); });
  part([&] { triggers_.tick(); });
  part([&] { watch_nodes(ledger_, links_, allocations_); });
  part([&] { links_.order_health_checks(); });
  part([&] { power_.tick(); });
  part([&] { end_orphans(ledger_, allocations_); });
  part([&] { steps_.tick(); });
  part([&] { enforce_step_limits(ledger_); });
  part([&] { allocations_.answer_all_waiters(); });
  part([&] { purge_old_jobs(ledger_); });
  part([&] { planning_.set_loads(links_.loads()); });
  part([&] { planning_.publish_if_quiet(); });
  // Begin times and dependencies with delays become due without an event.
  if (!ledger_.cluster().pending.empty()) ledger_.want_plan();
  if (!all)
    ledger_.log_error("there is not enough memory for all that falls due: tried again soon");
}

}  // namespace muster::controller
