// Which records a user's job ids mean. A waiting task that is named alone leaves its array's
// record.
#include "base/check.h"
#include "controller/core.h"

namespace muster::controller {

JobId Core::split_task(const Job& record, std::uint32_t task) {
  bool last = record.waiting_tasks.size() == 1;
  JobId array = record.id;
  JobId id = last ? array : next_id();
  this->record(TaskSplit{.array = array, .task = task, .id = id});
  return id;
}

// A task that is treated apart takes a record, of which there are MaxJobCount.
Result<void> Core::may_split(Caller caller, JobId array, const IdSet& tasks) const {
  const Job* record = cluster_.jobs.find(array);
  if (!record || record->state != JobState::pending || !may_change(caller, *record)) return {};
  const std::uint64_t apart = record->waiting_tasks.intersect(tasks).size();
  const bool all = apart == record->waiting_tasks.size();
  const std::uint64_t records = cluster_.jobs.size() + apart - (all && apart > 0 ? 1 : 0);
  if (apart == 0 || records <= cluster_.settings().max_job_count) return {};
  return fail(ErrorCode::too_many_jobs);
}

Result<std::vector<JobId>> Core::resolve(Caller caller, const wire::JobRef& ref) {
  const Job* job = cluster_.jobs.find(ref.job);
  if (!job) return fail(ErrorCode::invalid_job_id);
  std::vector<JobId> ids;
  if (ref.component) {
    const Job* component = cluster_.jobs.find(JobId{ref.job.value + *ref.component});
    if (!component || component->het_id != ref.job) return fail(ErrorCode::invalid_job_id);
    return std::vector{component->id};
  }
  if (ref.tasks.empty()) {
    if (job->is_het() && job->leads())
      for (const Job* component : cluster_.components(*job)) ids.push_back(component->id);
    else
      ids.push_back(job->id);
    if (job->array_id == job->id)
      for (std::uint32_t id : job->array->task_jobs.ids())
        if (cluster_.jobs.contains(JobId{id})) ids.push_back(JobId{id});
    return ids;
  }
  if (!job->array_id) return fail(ErrorCode::invalid_job_id);
  if (auto ok = may_split(caller, job->array_id, ref.tasks); !ok)
    return std::unexpected(ok.error());
  auto add = [&](const Job& found, std::uint32_t task) {
    // For one who may not touch it the record stays whole: what follows is refused.
    bool splits =
        found.is_array_record() && found.state == JobState::pending && may_change(caller, found);
    ids.push_back(splits ? split_task(found, task) : found.id);
  };
  if (ref.tasks.size() == 1) {
    const Job* found = cluster_.find_task(job->array_id, ref.tasks.min());
    if (found) add(*found, ref.tasks.min());
  } else {  // only tasks that there are: a range may name billions
    const ArrayTasks known = cluster_.tasks_of(job->array_id);
    ref.tasks.intersect(known.all).each(
        [&](std::uint32_t task) { add(cluster_.jobs.at(known.record_of(task)), task); });
  }
  if (ids.empty()) return fail(ErrorCode::invalid_job_id);
  return ids;
}

}  // namespace muster::controller
