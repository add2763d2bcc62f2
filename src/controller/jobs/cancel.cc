// Ends the jobs, tasks and steps that a CancelRequest names, or signals them.
#include "controller/jobs/cancel.h"

#include <csignal>
#include <map>

#include "controller/jobs/ending.h"
#include "controller/jobs/select.h"
#include "controller/jobs/signals.h"
#include "controller/jobs/step_end.h"
#include "controller/views/filter.h"
#include "controller/views/view.h"

namespace muster::controller {

namespace {

// Each job keeps the reason for which it waited: one event is recorded per reason. Components have
// the reason of their leader.
void cancel_pending(Ledger& ledger, const Planning& planning, const IdSet& jobs, Uid by) {
  const Time now = ledger.now();
  const Published known = planning.published();
  std::map<std::string, IdSet> by_reason;
  for (std::uint32_t id : jobs.ids()) {
    const Job& job = ledger.job(JobId{id});
    const Job* leader = job.is_het() ? ledger.cluster().jobs.find(job.het_id) : &job;
    Text detail;
    by_reason[std::string(reason_of(known, leader ? *leader : job, detail))].insert(id);
  }
  for (auto& [reason, same] : by_reason)
    ledger.record(PendingJobsEnded{.jobs = std::move(same),
                                   .state = JobState::cancelled,
                                   .by = by,
                                   .at = now,
                                   .reason = reason == "None" ? std::string() : reason});
}

// A cancelled task usually gets a record of its own first, so that accounting shows it. If all
// waiting tasks are cancelled, the array's record itself ends. If a great many are, but not all,
// records would cost too much: the tasks just leave the array, as if they had never been submitted.
// Removes these tasks from `ref`.
std::uint32_t drop_waiting_tasks(Ledger& ledger, const Planning& planning, Caller caller,
                                 wire::JobRef& ref, const std::optional<JobMatcher>& filter) {
  constexpr std::uint64_t kTasksWithRecords = 1000;
  const Job* array = ledger.cluster().jobs.find(ref.job);
  if (!array || array->state != JobState::pending || !ledger.rights().may_manage(caller, *array))
    return 0;
  if (filter && !filter->matches(ledger.cluster(), *array)) return 0;
  const IdSet tasks = array->waiting_tasks.intersect(ref.tasks);
  const bool all = tasks == array->waiting_tasks && tasks.size() > 1;
  if (!all && tasks.size() <= kTasksWithRecords) return 0;
  ref.tasks.subtract(tasks);
  ledger.want_plan();
  if (!all)
    ledger.record(TasksCancelled{.array = array->id, .tasks = tasks});
  else
    cancel_pending(ledger, planning, IdSet::range(array->id.value, array->id.value), caller.uid);
  return static_cast<std::uint32_t>(tasks.size());
}

}  // namespace

wire::Answer cancel(Ledger& ledger, const Planning& planning, Caller caller,
                    const wire::CancelRequest& asked) {
  const Time now = ledger.now();
  wire::CancelReply reply;
  wire::CancelRequest request = asked;
  std::optional<JobMatcher> filter;
  if (request.filter) {
    if (auto ok = check_filter(*request.filter); !ok) return ok.error();
    filter.emplace(*request.filter);
  }
  // A job whose script is killed ends, but does not count as cancelled.
  if (request.batch_only && request.signal == 0) request.signal = SIGKILL;
  // All pending jobs end with one event.
  IdSet pending;
  auto one = [&](JobId id, std::optional<StepId> step) -> Result<void> {
    const Job& job = ledger.job(id);
    if (!ledger.rights().may_manage(caller, job)) return fail(ErrorCode::access_denied);
    if (!request.sibling.empty() && !step) return fail(ErrorCode::not_federated);
    if (step && (is_ended(job.state) || job.state == JobState::pending))
      return fail(ErrorCode::invalid_job_id);
    if (step && request.signal == 0) {
      auto found = job.run->steps.find(*step);
      if (found == job.run->steps.end()) return cancel_queued_step(ledger, job, *step);
      if (is_ended(found->second.state)) return fail(ErrorCode::invalid_step);
      end_step(ledger, job, found->second, Seconds{0}, "", runs_in(job, request.asking_job));
      return {};
    }
    if (request.signal != 0 && !(request.signal == SIGKILL && !step && !request.batch_only)) {
      if (job.state == JobState::pending && request.signal == SIGKILL) {
        pending.insert(id.value);
        return {};
      }
      return signal_job(ledger, job, request, step);
    }
    if (job.state == JobState::pending) {
      if (!job.leads() && !ledger.settings().whole_het_jobs && !pending.contains(job.het_id.value))
        return fail(ErrorCode::one_het_component);
      pending.insert(id.value);
      pending.merge(job.het_jobs());
      return {};
    }
    return end_job(ledger, job,
                   {.becomes = JobState::cancelled,
                    .by = caller.uid,
                    .since = now,
                    .from_inside = runs_in(job, request.asking_job)},
                   "");
  };

  const bool ends = (request.signal == 0 || request.signal == SIGKILL) && request.sibling.empty();
  for (wire::JobRef ref : request.jobs) {
    if (ends && !ref.step) {
      const auto dropped = drop_waiting_tasks(ledger, planning, caller, ref, filter);
      reply.cancelled += dropped;
      if (dropped > 0 && ref.tasks.empty()) continue;
    }
    auto ids = resolve(ledger, caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    // For a whole array, tasks that have already ended are an error only if no task was left.
    std::optional<Error> error;
    bool some = false;
    for (JobId id : *ids) {
      if (filter && !filter->matches(ledger.cluster(), ledger.job(id))) continue;
      auto ok = one(id, ref.step);
      if (ok)
        some = true, ++reply.cancelled;
      else if (!error || error->code == ErrorCode::already_done)
        error = ok.error();
    }
    if (error && !some) reply.errors.emplace_back(ref, *error);
  }
  if (request.jobs.empty() && filter) {
    std::vector<JobId> ids;
    ledger.cluster().jobs.each([&](const Job& job) {
      if (!is_ended(job.state) && ledger.rights().may_manage(caller, job) &&
          filter->matches(ledger.cluster(), job))
        ids.push_back(job.id);
    });
    for (JobId id : ids) {
      auto ok = one(id, std::nullopt);
      if (ok)
        ++reply.cancelled;
      else if (ok.error().code == ErrorCode::not_federated)
        reply.errors.emplace_back(wire::JobRef{id, {}, std::nullopt}, ok.error());
    }
  }
  if (!pending.empty()) {
    cancel_pending(ledger, planning, pending, caller.uid);
    ledger.want_plan();
  }
  return reply;
}

}  // namespace muster::controller
