// Removes old records from the state. See limits.h.
#include "controller/jobs/limits.h"

#include <algorithm>

namespace muster::controller {

void purge_old_jobs(Ledger& ledger) {
  const Time now = ledger.now();
  constexpr Seconds kLookAgainAfter{1};
  JobsPurged purged;
  auto is_needed = [&](JobId id, JobId array) {
    return ledger.watch_list().is_needed(id) || ledger.watch_list().is_needed(array);
  };
  auto forget = [&](JobId id) {
    const JobOutcome* outcome = ledger.cluster().outcomes.find(id);
    if (outcome && !is_needed(id, outcome->array_id)) purged.jobs.insert(id.value);
  };
  for (JobId id : ledger.watch_list().take_unneeded()) {
    forget(id);
    if (const TaskIndex* tasks = ledger.cluster().task_index(id)) tasks->each(forget);
  }
  const Seconds age = ledger.settings().min_job_age;
  auto is_old = [&](const Job& job) {
    return is_ended(job.state) && job.run->unfinished.empty() && now - job.run->ended >= age;
  };
  auto may_go = [&](const Job& job) {
    if (job.array_id == job.id && !job.array->task_jobs.empty()) return false;
    // Components stay as long as any of them: a requeue brings back all.
    return std::ranges::all_of(ledger.cluster().components(job),
                               [&](const Job* c) { return is_old(*c); });
  };
  const bool for_good = age.count() == 0;  // MinJobAge=0: keep them for ever
  for (JobId id :
       for_good ? std::vector<JobId>{} : ledger.watch_list().take_ended_before(now - age)) {
    const Job* job = ledger.cluster().jobs.find(id);
    if (!job || !is_ended(job->state)) continue;  // it was requeued
    if (!may_go(*job))
      ledger.watch_list().look_again(id, now - age + kLookAgainAfter);
    else if (is_needed(id, job->array_id))
      purged.remembered.insert(id.value);
    else
      purged.jobs.insert(id.value);
  }
  if (!purged.jobs.empty() || !purged.remembered.empty()) ledger.record(std::move(purged));
}

}  // namespace muster::controller
