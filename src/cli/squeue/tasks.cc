// Shows waiting tasks of an array as one row: tasks with records of their own, because they were
// held, changed or requeued, are joined with the rest of their array.
#include <map>
#include <set>

#include <fmt/format.h>

#include "cli/squeue/list.h"

namespace muster::cli {

namespace {

bool is_waiting_task(const wire::JobLine& job) {
  return job.state == JobState::pending && job.array_id && job.task_id != kNoTask;
}

bool shown_together(const wire::JobLine& record, const wire::JobLine& task) {
  return task.array_id == record.array_id && task.partition == record.partition &&
         task.name == record.name;
}

void add_reason(wire::JobLine& record, std::string_view reason, QueueContext& context) {
  for (std::string_view known : split(record.reason, ','))
    if (known == reason) return;
  record.reason = context.texts.emplace_back(fmt::format("{},{}", record.reason, reason));
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

void keep_asked_tasks(QueueJobs& jobs, const std::vector<wire::JobRef>& asked) {
  if (asked.empty()) return;
  std::erase_if(jobs, [&](QueueJob& job) {
    wire::JobLine& line = job.line;
    auto tasks = asked_tasks(asked, line.array_id);
    if (!tasks || !line.is_array_record()) return false;
    line.waiting_tasks = line.waiting_tasks.intersect(*tasks);
    return line.waiting_tasks.empty();
  });
}

void join_waiting_tasks(QueueJobs& jobs, QueueContext& context) {
  std::map<JobId, wire::JobLine*> records;
  for (QueueJob& job : jobs)
    if (job.line.is_array_record() && job.line.state == JobState::pending)
      records[job.line.array_id] = &job.line;
  if (records.empty()) return;
  std::set<JobId> joined;
  for (const QueueJob& job : jobs) {
    const wire::JobLine& task = job.line;
    auto record = records.find(task.array_id);
    if (record == records.end() || !is_waiting_task(task)) continue;
    if (!shown_together(*record->second, task)) continue;
    record->second->waiting_tasks.insert(task.task_id);
    add_reason(*record->second, task.reason, context);
    joined.insert(task.id);
  }
  std::erase_if(jobs, [&](const QueueJob& job) { return joined.contains(job.line.id); });
}

}  // namespace muster::cli
