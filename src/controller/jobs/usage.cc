// What jobs have used is written down every PriorityCalcPeriod, within a second of a job's end, and
// before a change after which it could not be told any more. Jobs that have used up what a limit
// allows are ended.
#include "sched/priority/usage.h"

#include "base/text/strings.h"
#include "controller/core.h"
#include "sched/limits/limits.h"
#include "sched/priority/priority.h"

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

// PriorityFlags=INCR_ONLY: what a job has reached every PriorityCalcPeriod it keeps.
void Core::note_priorities_if_due(Time now) {
  const PrioritySettings& settings = cluster_.settings().priority;
  if (!settings.multifactor || !settings.increase_only) return;
  if (is_set(priorities_noted_) && now - priorities_noted_ < settings.shares.calc_period) return;
  priorities_noted_ = now;
  const sched::Priorities priorities(cluster_, now);
  PrioritiesReached reached;
  auto note = [&](std::uint32_t id) {
    const Job& job = cluster_.jobs.at(JobId{id});
    const auto first = split(job.partition, ',').front();
    const std::uint32_t priority = priorities.of(job, cluster_.find_partition(first));
    if (priority > job.least_priority) reached.jobs[job.id] = priority;
  };
  for (std::uint32_t id : cluster_.pending.ids()) note(id);
  if (!reached.jobs.empty()) record(std::move(reached));
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
