// Compares two records of a job (see job_update.h).
#include "state/job_update.h"

namespace muster {

namespace {

template <class T>
std::optional<T> if_changed(const T& before, const T& after) {
  return before == after ? std::nullopt : std::optional(after);
}

}  // namespace

std::optional<JobUpdated> job_update(const Job& before, const Job& after) {
  JobUpdated update{.job = before.id,
                    .spec = Delta<JobSpec>::between(*before.spec, *after.spec),
                    .own = Delta<JobOwn>::between(before.own, after.own),
                    .priority = if_changed(before.priority, after.priority),
                    .partition = if_changed(before.partitions, after.partitions),
                    .account = if_changed(before.account, after.account),
                    .qos = if_changed(before.qos, after.qos),
                    .time_limit = if_changed(before.time_limit, after.time_limit),
                    .task_limit = if_changed(before.task_limit, after.task_limit),
                    .eligible = if_changed(before.eligible, after.eligible),
                    .priority_fixed = if_changed(before.priority_fixed, after.priority_fixed)};
  if (update == JobUpdated{.job = before.id}) return std::nullopt;
  return update;
}

}  // namespace muster
