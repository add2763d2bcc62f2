// Counts the usage of jobs and records it.
#include "controller/jobs/usage.h"

#include "base/text/strings.h"
#include "sched/limits/limits.h"
#include "sched/priority/priority.h"
#include "sched/priority/usage.h"

namespace muster::controller {

void count_usage(Ledger& ledger, Time until) {
  const Cluster& cluster = ledger.cluster();
  if (!sched::counts_usage(cluster) || until <= (*cluster.usage).as_of) return;
  sched::Counted counted = sched::count_usage(cluster, until);
  ledger.record(
      UsageCounted{.as_of = until, .reset = counted.reset, .changed = std::move(counted.changed)});
}

void UsageClock::tick() {
  count_if_due();
  note_priorities_if_due();
}

void UsageClock::on_clock_step(Millis by) {
  if (is_set(priorities_noted_)) priorities_noted_ += by;
}

void UsageClock::count_if_due() {
  const Time now = ledger_.now();
  const UsageBook& book = *ledger_.cluster().usage;
  const FairShareSettings& settings = ledger_.settings().priority.shares;
  const bool period_over = now - book.as_of >= settings.calc_period;
  const bool must_reset = !book.past.empty() && book.as_of < sched::last_reset(settings.reset, now);
  if (!ledger_.cluster().uncounted.empty() || must_reset ||
      (period_over && !ledger_.cluster().active.empty()))
    count_usage(ledger_, now);
}

// PriorityFlags=INCR_ONLY: once per PriorityCalcPeriod the priority that a job has reached becomes
// its minimum.
void UsageClock::note_priorities_if_due() {
  const Time now = ledger_.now();
  const PrioritySettings& settings = ledger_.settings().priority;
  if (!settings.multifactor || !settings.increase_only) return;
  if (is_set(priorities_noted_) && now - priorities_noted_ < settings.shares.calc_period) return;
  const sched::Priorities priorities(ledger_.cluster(), now);
  PrioritiesReached reached;
  auto note = [&](std::uint32_t id) {
    const Job& job = ledger_.job(JobId{id});
    const std::uint32_t priority = priorities.priority_of(job, ledger_.cluster().partition_of(job));
    if (priority > job.least_priority) reached.jobs[job.id] = priority;
  };
  for (std::uint32_t id : ledger_.cluster().pending.ids()) note(id);
  if (!reached.jobs.empty()) ledger_.record(std::move(reached));
  priorities_noted_ = now;
}

void reset_usage_if_told(Ledger& ledger) {
  const Time now = ledger.now();
  if (ledger.settings().priority.shares.reset == UsageReset::now &&
      !(*ledger.cluster().usage).past.empty())
    ledger.record(UsageCounted{.as_of = now, .reset = true, .changed = {}});
}

}  // namespace muster::controller
