// scancel: ends jobs, waiting tasks and steps, or sends them a signal.
#include <csignal>
#include <map>

#include "controller/core.h"
#include "controller/views/filter.h"
#include "controller/views/view.h"

namespace muster::controller {

Result<void> Core::end_job(const Job& job, Ending ending, std::string_view pending_reason,
                           Time now) {
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  JobId id = job.id;
  if (job.state == JobState::pending) {
    IdSet ids = IdSet::range(id.value, id.value);
    ids.merge(job.het_jobs());  // components wait together and leave together
    record(PendingJobsEnded{.jobs = ids,
                            .state = ending.becomes,
                            .by = ending.by,
                            .at = now,
                            .reason = pending_reason});
    want_plan();
    return {};
  }
  // A cancel overrules a requeue under way; a second cancel changes nothing.
  if (job.run->ending && !job.run->ending->requeue) return fail(ErrorCode::already_done);
  const bool all = job.leads() || cluster_.settings().whole_het_jobs;
  order_end(id, ending, all ? Reach::all_components : Reach::job);
  settle_components(id, now);
  return {};
}

bool Core::is_announced(int signal, bool to_script) {
  return signal == SIGTERM || (to_script && signal == SIGKILL);
}

// What a job waited for stays with it: one event for all that waited for the same. Components go by
// their leader.
void Core::cancel_pending(const IdSet& jobs, Uid by, Time now) {
  const Published known = published();
  std::map<std::string, IdSet> by_reason;
  for (std::uint32_t id : jobs.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    const Job* leader = job.is_het() ? cluster_.jobs.find(job.het_id) : &job;
    Text detail;
    by_reason[reason_of(known, leader ? *leader : job, detail).str()].insert(id);
  }
  for (auto& [reason, same] : by_reason)
    record(PendingJobsEnded{.jobs = std::move(same),
                            .state = JobState::cancelled,
                            .by = by,
                            .at = now,
                            .reason = reason == "None" ? std::string() : reason});
}

// A step over several components is signalled in all of them.
void Core::signal_step(const Job& job, const Step& step, int signal) {
  for (const Job* component : cluster_.components(job)) {
    if (component != &job && !(step.het.is_part() && component->run->steps.contains(step.id)))
      continue;
    wire::SignalOrder o{.job = component->id, .attempt = component->attempt, .signal = signal};
    if (step.id == kBatchStep)
      o.batch = true;
    else
      o.steps = {step.id};
    o.announce = is_announced(signal, step.id == kBatchStep);
    for (NodeId node : component->run->unfinished) order(node, o);
  }
}

Result<void> Core::signal_job(const Job& job, const wire::CancelRequest& request,
                              std::optional<StepId> step) {
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  if (job.state == JobState::pending) return fail(ErrorCode::job_pending);
  if (step) {
    auto found = job.run->steps.find(*step);
    if (found == job.run->steps.end()) return fail(ErrorCode::invalid_step);
    signal_step(job, found->second, request.signal);
    return {};
  }
  if (request.batch_only && job.spec->kind != JobKind::batch)
    return fail(ErrorCode::script_missing);
  wire::SignalOrder o{.job = job.id, .attempt = job.attempt, .signal = request.signal};
  o.batch = request.batch_only || request.full;  // the script, with all that it has started
  o.whole_batch = request.full;
  o.all_steps = !o.batch;
  o.announce = is_announced(request.signal, o.batch);
  for (NodeId node : job.run->unfinished) order(node, o);
  return {};
}

// A task that is cancelled gets a record of its own first, so that accounting can tell of it. Where
// all that wait are meant, their record itself ends. For a great many others at once records would
// cost more than they tell: they leave the array's, as if they had never been asked for. Takes them
// out of `ref`.
std::uint32_t Core::drop_waiting_tasks(Caller caller, wire::JobRef& ref,
                                       const std::optional<JobMatcher>& filter, Time now) {
  constexpr std::uint64_t kTasksWithRecords = 1000;
  const Job* array = cluster_.jobs.find(ref.job);
  if (!array || array->state != JobState::pending || !may_change(caller, *array)) return 0;
  if (filter && !filter->matches(cluster_, *array)) return 0;
  const IdSet tasks = array->waiting_tasks.intersect(ref.tasks);
  const bool all = tasks == array->waiting_tasks && tasks.size() > 1;
  if (!all && tasks.size() <= kTasksWithRecords) return 0;
  ref.tasks.subtract(tasks);
  want_plan();
  if (!all)
    record(TasksCancelled{.array = array->id, .tasks = tasks});
  else
    cancel_pending(IdSet::range(array->id.value, array->id.value), caller.uid, now);
  return static_cast<std::uint32_t>(tasks.size());
}

// Whether a command that runs in job `asking` runs in this one, too.
bool Core::runs_in(const Job& job, JobId asking) {
  return asking && (job.id == asking || job.het_jobs().contains(asking.value));
}

wire::Answer Core::cancel(Caller caller, const wire::CancelRequest& asked, Time now) {
  wire::CancelReply reply;
  wire::CancelRequest request = asked;
  std::optional<JobMatcher> filter;
  if (request.filter) {
    if (auto ok = check_filter(*request.filter); !ok) return ok.error();
    filter.emplace(*request.filter);
  }
  // Without its script a job is over, but it was not cancelled.
  if (request.batch_only && request.signal == 0) request.signal = SIGKILL;
  // Pending jobs end together, however many there are.
  IdSet pending;
  auto one = [&](JobId id, std::optional<StepId> step) -> Result<void> {
    const Job& job = cluster_.jobs.at(id);
    if (!may_change(caller, job)) return fail(ErrorCode::access_denied);
    if (!request.sibling.empty() && !step) return fail(ErrorCode::not_federated);
    if (step && (is_ended(job.state) || job.state == JobState::pending))
      return fail(ErrorCode::invalid_job_id);
    if (step && request.signal == 0) {
      auto found = job.run->steps.find(*step);
      if (found == job.run->steps.end()) return cancel_queued_step(job, *step);
      if (is_ended(found->second.state)) return fail(ErrorCode::invalid_step);
      end_step(job, found->second, Seconds{0}, "", runs_in(job, request.asking_job));
      return {};
    }
    if (request.signal != 0 && !(request.signal == SIGKILL && !step && !request.batch_only)) {
      if (job.state == JobState::pending && request.signal == SIGKILL) {
        pending.insert(id.value);
        return {};
      }
      return signal_job(job, request, step);
    }
    if (job.state == JobState::pending) {
      if (!job.leads() && !cluster_.settings().whole_het_jobs &&
          !pending.contains(job.het_id.value))
        return fail(ErrorCode::one_het_component);
      pending.insert(id.value);
      pending.merge(job.het_jobs());
      return {};
    }
    return end_job(job,
                   {.becomes = JobState::cancelled,
                    .by = caller.uid,
                    .since = now,
                    .from_inside = runs_in(job, request.asking_job)},
                   "", now);
  };

  const bool ends = (request.signal == 0 || request.signal == SIGKILL) && request.sibling.empty();
  for (wire::JobRef ref : request.jobs) {
    if (ends && !ref.step) {
      const auto dropped = drop_waiting_tasks(caller, ref, filter, now);
      reply.cancelled += dropped;
      if (dropped > 0 && ref.tasks.empty()) continue;
    }
    auto ids = resolve(caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    // Of a whole array, what has ended already is no error as long as something was left.
    std::optional<Error> error;
    bool some = false;
    for (JobId id : *ids) {
      if (filter && !filter->matches(cluster_, cluster_.jobs.at(id))) continue;
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
    cluster_.jobs.each([&](const Job& job) {
      if (!is_ended(job.state) && may_change(caller, job) && filter->matches(cluster_, job))
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
    cancel_pending(pending, caller.uid, now);
    want_plan();
  }
  return reply;
}

}  // namespace muster::controller
