// Waiting tasks of an array as one row: those that have a record of their own, because they were
// held, changed or requeued apart, are shown with the rest of their array again.
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/squeue_list.h"

namespace muster::cli {

namespace {

bool is_waiting_task(const Job& job) {
  return job.state == JobState::pending && job.array_id && job.task_id != kNoTask;
}

bool shown_together(const Job& record, const Job& task) {
  return task.array_id == record.array_id && task.partition == record.partition &&
         task.own.name == record.own.name;
}

std::string_view reason_text(const wire::JobView& view) {
  return view.reason_detail.empty() ? view.reason.view() : view.reason_detail.view();
}

void add_reason(wire::JobView& record, std::string_view reason) {
  for (std::string_view known : split(reason_text(record), ','))
    if (known == reason) return;
  record.reason = fmt::format("{},{}", reason_text(record), reason);
  record.reason_detail = {};
}

}  // namespace

std::optional<IdSet> asked_tasks(const std::vector<wire::JobRef>& refs, JobId array) {
  IdSet tasks;
  for (const wire::JobRef& ref : refs) {
    if (ref.job != array) continue;
    if (ref.tasks.empty()) return std::nullopt;
    tasks.merge(ref.tasks);
  }
  if (tasks.empty()) return std::nullopt;
  return tasks;
}

void keep_asked_tasks(JobViews& jobs, const std::vector<wire::JobRef>& asked) {
  if (asked.empty()) return;
  std::set<JobId> others;
  for (wire::JobView& view : jobs) {
    auto tasks = asked_tasks(asked, view.job->array_id);
    if (!tasks || !view.job->is_array_record()) continue;
    IdSet kept = view.job->waiting_tasks.intersect(*tasks);
    if (kept.empty())
      others.insert(view.job->id);
    else
      view.job.edit().waiting_tasks = std::move(kept);
  }
  std::erase_if(jobs, [&](const wire::JobView& view) { return others.contains(view.job->id); });
}

void join_waiting_tasks(JobViews& jobs) {
  std::map<JobId, wire::JobView*> records;
  for (wire::JobView& view : jobs)
    if (view.job->is_array_record() && view.job->state == JobState::pending)
      records[view.job->array_id] = &view;
  if (records.empty()) return;
  std::set<JobId> joined;
  for (const wire::JobView& view : jobs) {
    auto record = records.find(view.job->array_id);
    if (record == records.end() || !is_waiting_task(*view.job)) continue;
    if (!shown_together(*record->second->job, *view.job)) continue;
    record->second->job.edit().waiting_tasks.insert(view.job->task_id);
    add_reason(*record->second, reason_text(view));
    joined.insert(view.job->id);
  }
  std::erase_if(jobs, [&](const wire::JobView& view) { return joined.contains(view.job->id); });
}

}  // namespace muster::cli
