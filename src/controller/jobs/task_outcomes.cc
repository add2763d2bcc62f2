// Groups the tasks of an array by outcome.
#include "controller/jobs/task_outcomes.h"

#include <algorithm>

namespace muster::controller {

TaskOutcomes::TaskOutcomes(const Cluster& cluster, wire::JobRef named) : named_(std::move(named)) {
  const JobId array = cluster.jobs.at(named_.job).array_id;
  if (named_.tasks.empty()) return;
  IdSet unknown = named_.tasks;
  unknown.subtract(cluster.tasks_of(array).all);
  if (unknown.empty()) return;
  ++failed_;
  all_.emplace_back(wire::JobRef{.job = array, .tasks = std::move(unknown)},
                    Error{ErrorCode::invalid_job_id, {}});
}

void TaskOutcomes::add(const Job& job, const Result<void>& outcome) {
  const Error error = outcome ? Error{ErrorCode::no_error, {}} : outcome.error();
  ++(outcome ? done_ : failed_);
  const bool is_task = job.array_id && (!named_.tasks.empty() || named_.job == job.array_id);
  if (!is_task) {
    all_.emplace_back(named_, error);
    return;
  }
  auto same = std::ranges::find_if(all_, [&](const auto& entry) {
    return entry.second.code == error.code && entry.second.detail == error.detail;
  });
  if (same == all_.end())
    same = all_.insert(all_.end(), {wire::JobRef{.job = job.array_id}, error});
  if (job.is_array_record())
    same->first.tasks.merge(job.waiting_tasks);
  else
    same->first.tasks.insert(job.task_id);
}

void TaskOutcomes::tell(wire::CancelReply& reply) && {
  reply.cancelled += done_;
  if (failed_ == 0) return;
  std::ranges::stable_sort(all_, {}, [](const auto& entry) {
    return entry.first.tasks.empty() ? 0 : entry.first.tasks.min();
  });
  for (auto& [job, error] : all_)
    if (error.code != ErrorCode::no_error || !job.tasks.empty())
      reply.errors.emplace_back(std::move(job), std::move(error));
}

}  // namespace muster::controller
