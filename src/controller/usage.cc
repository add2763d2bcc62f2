// What jobs have used is written down every PriorityCalcPeriod, within a second of a job's end, and
// before a change after which it could not be told any more. Jobs that have used up what a limit
// allows are ended.
#include "sched/usage.h"

#include "controller/core.h"
#include "sched/limits.h"

namespace muster::controller {

void Core::count_usage(Time now) {
  if (!sched::counts_usage(cluster_) || now <= (*cluster_.usage).as_of) return;
  sched::Counted counted = sched::count_usage(cluster_, now);
  record(UsageCounted{.as_of = now, .reset = counted.reset, .changed = std::move(counted.changed)});
}

void Core::count_usage_if_due(Time now) {
  const UsageBook& book = *cluster_.usage;
  const FairShareSettings& settings = cluster_.settings().priority.shares;
  const bool period_over = now - book.as_of >= settings.calc_period;
  const bool must_reset = !book.past.empty() && book.as_of < sched::last_reset(settings.reset, now);
  if (!cluster_.uncounted.empty() || must_reset || (period_over && !cluster_.active.empty()))
    count_usage(now);
}

// PriorityUsageResetPeriod=NOW: with each start and each reading of the configuration.
void Core::reset_usage_if_told(Time now) {
  if (cluster_.settings().priority.shares.reset == UsageReset::now &&
      !(*cluster_.usage).past.empty())
    record(UsageCounted{.as_of = now, .reset = true, .changed = {}});
}

void Core::end_over_limits(Time now) {
  for (const auto& [id, limit] : sched::jobs_over_limits(cluster_, now))
    time_out(id, "has used what " + limit.str() + " allows", now);
}

}  // namespace muster::controller
