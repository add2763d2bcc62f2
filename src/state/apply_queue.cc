// Applies events of pending jobs, and of records that are removed.
#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "state/applier.h"

namespace muster {

void Applier::operator()(const JobSubmitted& e) {
  CHECK(!cluster.jobs.contains(e.job.id));
  cluster.outcomes.erase(e.job.id);  // of an earlier job, if ids have started again
  cluster.jobs.put(e.job.id, e.job);
  cluster.pending.insert(e.job.id.value);
  cluster.next_job_id = std::max(cluster.next_job_id, JobId{e.job.id.value + 1});
}

void Applier::operator()(const TaskSplit& e) {
  Job& record = cluster.jobs.edit(e.array);
  CHECK(record.waiting_tasks.contains(e.task));
  if (e.id == e.array) {
    CHECK(record.waiting_tasks.size() == 1);
    record.task_id = e.task;
    record.waiting_tasks = {};
    return;
  }
  record.waiting_tasks.erase(e.task);
  ArrayRecord& array = record.array.edit();
  array.task_jobs.insert(e.id.value);
  ++array.exits.left;
  Job task = record;
  task.id = e.id;
  task.task_id = e.task;
  task.waiting_tasks = {};
  task.array = {};
  cluster.jobs.put(e.id, std::move(task));
  cluster.index_task(e.array, e.task, e.id);
  cluster.pending.insert(e.id.value);
  cluster.next_job_id = std::max(cluster.next_job_id, JobId{e.id.value + 1});
}

void Applier::operator()(const PendingJobsEnded& e) {
  for (std::uint32_t id : e.jobs.ids()) {
    Job& job = cluster.jobs.edit(JobId{id});
    CHECK(job.state == JobState::pending);
    job.state = e.state;
    job.end_reason = e.reason;
    Run& run = job.run.edit();
    run.started = run.ended = e.at;
    run.ending = Ending{.becomes = e.state, .by = e.by, .since = e.at};
    cluster.pending.erase(id);
    if (job.array_id) note_end_of_task(job.array_id, SIGKILL);
  }
}

void Applier::operator()(const TasksCancelled& e) {
  Job& record = cluster.jobs.edit(e.array);
  record.waiting_tasks.subtract(e.tasks);
  ArrayExits& exits = record.array.edit().exits;
  ++exits.left;
  exits.add(SIGKILL);
  CHECK(!record.waiting_tasks.empty(), "an array record that loses all its tasks ends instead");
}

void Applier::note_end_of_task(JobId array, std::uint32_t status) {
  if (cluster.jobs.contains(array)) cluster.jobs.edit(array).array.edit().exits.add(status);
}

void Applier::operator()(const JobsHeld& e) {
  for (std::uint32_t id : e.jobs.ids()) {
    Job& job = cluster.jobs.edit(JobId{id});
    if (job.special_exit()) job.run = {};
    job.hold = e.hold;
    job.priority = e.priority;
    if (e.hold == Hold::none) job.eligible = std::max(job.eligible, e.at);
    if (e.hold != Hold::none) job.priority_fixed = false;  // a release computes the priority anew
    if (job.state == JobState::pending) job.end_reason = e.reason;
  }
}

void Applier::operator()(const JobUpdated& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.spec = e.spec;
  job.own = e.own;
  job.priority = e.priority;
  job.partition = e.partition;
  job.account = e.account;
  job.qos = e.qos;
  job.time_limit = e.time_limit;
  job.task_limit = e.task_limit;
  job.eligible = e.eligible;
  job.priority_fixed = e.priority_fixed;
}

void Applier::operator()(const JobsAccruing& e) {
  for (std::uint32_t id : e.jobs.ids()) {
    Job& job = cluster.jobs.edit(JobId{id});
    job.accrues_since = e.at;
    job.eligible = std::max(job.eligible, e.at);
  }
}

void Applier::operator()(const PrioritiesReached& e) {
  for (const auto& [id, priority] : e.jobs) cluster.jobs.edit(id).least_priority = priority;
}

void Applier::operator()(const JobMailed& e) { cluster.jobs.edit(e.job).mailed |= e.types; }

void Applier::operator()(const JobWarned& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  run.warned = e.at;
  run.unwarned = e.missed_by;
}

// Removes a job's record, and its id from the record of its array.
void Applier::erase_record(JobId id) {
  const Job* job = cluster.jobs.find(id);
  if (!job) return;
  const JobId array = job->array_id;
  cluster.jobs.erase(id);
  cluster.uncounted.erase(id.value);
  if (array && array != id && cluster.jobs.contains(array))
    cluster.jobs.edit(array).array.edit().task_jobs.erase(id.value);
}

void Applier::operator()(const JobsPurged& e) {
  for (std::uint32_t id : e.remembered.ids()) {
    const Job* job = cluster.jobs.find(JobId{id});
    if (!job) continue;
    cluster.outcomes.put(JobId{id}, outcome_of(*job));
    erase_record(JobId{id});
  }
  for (std::uint32_t id : e.jobs.ids()) {
    const Job* job = cluster.jobs.find(JobId{id});
    const JobOutcome* outcome = cluster.outcomes.find(JobId{id});
    if (!job && !outcome) continue;
    const JobId array = job ? job->array_id : outcome->array_id;
    const std::uint32_t task = job ? job->task_id : outcome->task_id;
    if (array && array.value != id) cluster.unindex_task(array, task);
    cluster.outcomes.erase(JobId{id});
    erase_record(JobId{id});
  }
}

}  // namespace muster
