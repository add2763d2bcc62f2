// Enforces time limits, deadlines and limits on usage.
#include "controller/jobs/limits.h"

#include <algorithm>
#include <csignal>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "controller/effects/stop_notice.h"
#include "controller/jobs/ending.h"
#include "controller/jobs/mailing.h"
#include "controller/jobs/signals.h"
#include "sched/gate/gate.h"
#include "sched/limits/limits.h"

namespace muster::controller {

namespace {

// OverTimeLimit of the partition, else of the cluster: how long jobs may exceed their limit.
bool over_time_is_up(const Cluster& cluster, const Job& job, Time limit, Time now) {
  constexpr std::uint32_t kForGood = 0xffffffffu;
  const Partition* partition = cluster.partition_of(job);
  const std::uint32_t minutes = partition && partition->over_time_limit
                                    ? *partition->over_time_limit
                                    : cluster.settings().over_time_limit_min;
  return minutes != kForGood && now >= limit + Minutes{minutes};
}

// --chunk: the next piece follows, once the queue has room for it.
void end_piece(Ledger& ledger, JobId id) {
  const Job& job = ledger.job(id);
  ledger.log(fmt::format("job {} has reached the end of piece {}", id.value,
                         job.run->earlier->pieces + 1));
  order_end(
      ledger, id,
      {.becomes = JobState::timeout, .since = ledger.now(), .requeue = true, .again = Again::piece},
      Reach::all_components);
  advance_endings(ledger, id);
}

void time_out(Ledger& ledger, JobId id, std::string_view why) {
  const Time now = ledger.now();
  ledger.log("job " + std::to_string(id.value) + " " + std::string(why));
  mail_once(ledger, id, kMailTimeLimit);
  (void)end_job(ledger, ledger.job(id), {.becomes = JobState::timeout, .since = now}, "");
}

}  // namespace

void enforce_limits(Ledger& ledger, const NodeLinks& links) {
  const Time now = ledger.now();
  std::vector<JobId> over, due;
  for (std::uint32_t id : ledger.cluster().active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (job.state != JobState::running || job.run->ending) continue;
    Time limit = job.end_limit();
    if (limit == Time::max()) continue;
    if (over_time_is_up(ledger.cluster(), job, limit, now)) {
      over.push_back(job.id);
    } else if (const WarnSignal& w = job.spec->warn_signal;
               w.number && !is_set(job.run->warned) &&
               now >= limit - Seconds{w.seconds_before_end}) {
      due.push_back(job.id);
    }
  }
  for (JobId id : over)
    if (is_last_piece(ledger.job(id)) || !may_requeue(ledger.cluster(), ledger.job(id)))
      time_out(ledger, id, "reached its time limit");
    else
      end_piece(ledger, id);
  for (JobId id : due) warn(ledger, links, id);
  std::vector<JobId> late;
  for (const JobId id : ledger.watch_list().with_deadline()) {
    const Job& job = ledger.job(id);
    if (job.hold == Hold::none && sched::misses_deadline(job, now)) late.push_back(job.id);
  }
  for (JobId id : late)
    (void)end_job(ledger, ledger.job(id), {.becomes = JobState::deadline, .since = now},
                  "DeadLine");
}

void end_over_limits(Ledger& ledger) {
  const Time now = ledger.now();
  for (const auto& [id, limit] : sched::jobs_over_limits(ledger.cluster(), now))
    time_out(ledger, id, "has used what " + limit.str() + " allows");
}

}  // namespace muster::controller
