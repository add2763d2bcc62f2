// Finds the records of a job reference, and splits tasks from arrays.
#include "controller/jobs/select.h"

#include "base/check.h"

namespace muster::controller {

JobId split_task(Ledger& ledger, JobId array, std::uint32_t task) {
  const bool last = ledger.job(array).waiting_tasks.size() == 1;
  JobId id = last ? array : ledger.cluster().next_job_id;
  ledger.record(TaskSplit{.array = array, .task = task, .id = id});
  return id;
}

namespace {

// A task that leaves its array takes up a record, of which there are at most MaxJobCount.
Result<void> may_split(Ledger& ledger, Caller caller, JobId array, const IdSet& tasks) {
  const Job* record = ledger.cluster().jobs.find(array);
  if (!record || record->state != JobState::pending ||
      !ledger.authority().may_change(caller, *record))
    return {};
  const std::uint64_t apart = record->waiting_tasks.intersect(tasks).size();
  const bool all = apart == record->waiting_tasks.size();
  const std::uint64_t records = ledger.cluster().jobs.size() + apart - (all && apart > 0 ? 1 : 0);
  if (apart == 0 || records <= ledger.settings().max_job_count) return {};
  return fail(ErrorCode::too_many_jobs);
}

}  // namespace

Result<std::vector<JobId>> resolve(Ledger& ledger, Caller caller, const wire::JobRef& ref) {
  const Job* job = ledger.cluster().jobs.find(ref.job);
  if (!job) return fail(ErrorCode::invalid_job_id);
  std::vector<JobId> ids;
  if (ref.component) {
    const Job* component = ledger.cluster().jobs.find(JobId{ref.job.value + *ref.component});
    if (!component || component->het_id != ref.job) return fail(ErrorCode::invalid_job_id);
    return std::vector{component->id};
  }
  if (ref.tasks.empty()) {
    if (job->is_het() && job->leads())
      for (const Job* component : ledger.cluster().components(*job)) ids.push_back(component->id);
    else
      ids.push_back(job->id);
    if (job->array_id == job->id)
      for (std::uint32_t id : job->array->task_jobs.ids())
        if (ledger.cluster().jobs.contains(JobId{id})) ids.push_back(JobId{id});
    return ids;
  }
  if (!job->array_id) return fail(ErrorCode::invalid_job_id);
  if (auto ok = may_split(ledger, caller, job->array_id, ref.tasks); !ok)
    return std::unexpected(ok.error());
  auto add = [&](const Job& found, std::uint32_t task) {
    // If the caller may not change the record, it stays whole, because the request will be refused.
    bool splits = found.is_array_record() && found.state == JobState::pending &&
                  ledger.authority().may_change(caller, found);
    ids.push_back(splits ? split_task(ledger, found.id, task) : found.id);
  };
  if (ref.tasks.size() == 1) {
    const Job* found = ledger.cluster().find_task(job->array_id, ref.tasks.min());
    if (found) add(*found, ref.tasks.min());
  } else {  // only existing tasks: a range may name billions
    const ArrayTasks known = ledger.cluster().tasks_of(job->array_id);
    ref.tasks.intersect(known.all).each(
        [&](std::uint32_t task) { add(ledger.job(known.record_of(task)), task); });
  }
  if (ids.empty()) return fail(ErrorCode::invalid_job_id);
  return ids;
}

bool runs_in(const Job& job, JobId asking) {
  return asking && (job.id == asking || job.het_jobs().contains(asking.value));
}

}  // namespace muster::controller
