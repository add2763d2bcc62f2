// scontrol hold, uhold, release, requeue, requeuehold, suspend, resume, notify; top is in top.cc.
#include <algorithm>

#include "base/text/strings.h"
#include "controller/core.h"
#include "controller/jobs/task_outcomes.h"
#include "sched/place/place.h"
#include "sched/priority/priority.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

// What was submitted with --hold has not been asked yet. One partition that will do is enough.
Result<void> could_ever_start(const Cluster& cluster, const Job& job) {
  ErrorCode last{};
  for (std::string_view name : split(job.partition, ',')) {
    const Partition* partition = cluster.find_partition(name);
    if (!partition || partition->nodes.empty()) return {};
    auto request = sched::make_request(cluster, *job.spec, *partition);
    auto fits =
        request ? sched::feasible(cluster, *request, *partition) : std::unexpected(request.error());
    if (fits) return {};
    last = fits.error().code;
  }
  return fail(last);
}

}  // namespace

Result<void> Core::hold(Caller caller, const Job& job, Hold kind) {
  if (!may_change(caller, job)) return fail(ErrorCode::user_id_missing);
  if (is_ended(job.state)) return fail(ErrorCode::job_finished);
  if (job.hold == Hold::admin && !is_operator(caller)) {
    if (kind == Hold::none) return fail(ErrorCode::access_denied);
    return {};  // an administrator's hold stays one
  }
  if (kind == Hold::none && job.spec->hold && job.hold != Hold::none)
    if (auto ok = could_ever_start(cluster_, job); !ok) return ok;
  // A release of what is not held keeps its priority; what was held queues up behind the others.
  std::uint32_t priority = 0;
  if (kind == Hold::none)
    priority =
        job.priority ? job.priority : sched::basic_priority(cluster_.next_job_id, job.spec->nice);
  record(JobsHeld{.jobs = IdSet::range(job.id.value, job.id.value),
                  .hold = kind,
                  .priority = priority,
                  .at = now_});
  want_plan();
  return {};
}

Result<void> Core::requeue(Caller caller, const Job& job, Requeue how, JobId asking_job, Time now) {
  if (!may_change(caller, job)) return fail(ErrorCode::access_denied);
  if (job.spec->kind != JobKind::batch) return fail(ErrorCode::batch_only);
  bool allowed = job.spec->requeue.value_or(cluster_.settings().job_requeue);
  if (!allowed) return fail(ErrorCode::disabled);
  const bool goes_back = job.run->ending && job.run->ending->requeue;
  if (job.state == JobState::pending || goes_back) return fail(ErrorCode::job_pending);
  if (!job.leads()) return fail(ErrorCode::failure, "Job not heterogeneous job leader");
  JobId id = job.id;
  Ending ending{.becomes = JobState::cancelled,
                .by = caller.uid,
                .since = now,
                .requeue = true,
                .hold = how != Requeue::plain,
                .special = how == Requeue::special_exit,
                .from_inside = runs_in(job, asking_job)};
  if (ending.hold)
    ending.reason = "job_requeued_in_held_state";
  else if (job.restarts >
           0)  // the first time at once: whoever asks again and again may be its script
    ending.delay = pause_before_next_run(job, now);
  if (is_ended(job.state)) {
    const auto components = cluster_.components(job);
    for (const Job* component : components)
      if (!component->run->unfinished.empty()) return fail(ErrorCode::transition_state_no_update);
    std::vector<JobId> ids;
    for (const Job* component : components) ids.push_back(component->id);
    for (JobId each : ids) put_back(ending, cluster_.jobs.at(each), now);
    return {};
  }
  if (job.run->ending) return fail(ErrorCode::transition_state_no_update);
  order_end(id, ending, Reach::all_components);
  settle_components(id, now);
  return {};
}

Result<void> Core::suspend(Caller caller, const Job& job, bool resume, Time now) {
  if (!is_operator(caller)) return fail(ErrorCode::access_denied);
  if (job.state == JobState::pending) return fail(ErrorCode::job_pending);
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  const bool is_suspended = job.state == JobState::suspended;
  if (resume && !is_suspended) return fail(ErrorCode::failure, "Job is not suspended");
  if (job.run->awaits_turn) return fail(ErrorCode::disabled);
  if (is_suspended && !resume) return {};
  set_suspended(job.id, !resume, false, now);
  want_plan();  // others may use its CPUs
  return {};
}

// To the output of a batch script, or to the command that keeps an allocation.
Result<void> Core::notify(Caller caller, const Job& job, const Text& message) {
  if (!may_change(caller, job)) return fail(ErrorCode::user_id_missing);
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  if (job.state == JobState::pending) return fail(ErrorCode::disabled);
  if (job.spec->kind == JobKind::batch) {
    const NodeId first = job.run->allocation.front().node;
    order(first, wire::NotifyOrder{.job = job.id, .attempt = job.attempt, .text = message});
    return {};
  }
  const JobId kept = job.het_id ? job.het_id : job.id;
  auto owner = std::ranges::find(allocation_owners_, kept, [](const auto& o) { return o.second; });
  const Waiter* keeper =
      owner == allocation_owners_.end() ? nullptr : waiters_.find(owner->first, kept);
  if (!keeper) return fail(ErrorCode::disabled);
  host_.reply(keeper->to, wire::Notice{message});
  return {};
}

namespace {

bool is_hold(wire::JobAction action) {
  using enum wire::JobAction;
  return action == hold || action == user_hold || action == release;
}

bool is_requeue(wire::JobAction action) {
  using enum wire::JobAction;
  return action == requeue || action == requeue_hold || action == requeue_special;
}

bool is_suspend(wire::JobAction action) {
  using enum wire::JobAction;
  return action == suspend || action == resume;
}

}  // namespace

wire::Answer Core::job_action(Caller caller, const wire::JobActionRequest& request, Time now) {
  using wire::JobAction;
  wire::CancelReply reply;
  auto act = [&](const Job& job) -> Result<void> {
    switch (request.action) {
      case JobAction::hold:
        return hold(caller, job, own_hold(caller));
      case JobAction::user_hold:
        return hold(caller, job, Hold::user);
      case JobAction::release:
        return hold(caller, job, Hold::none);
      case JobAction::requeue:
        return requeue(caller, job, Requeue::plain, request.asking_job, now);
      case JobAction::requeue_hold:
        return requeue(caller, job, Requeue::held, request.asking_job, now);
      case JobAction::requeue_special:
        return requeue(caller, job, Requeue::special_exit, request.asking_job, now);
      case JobAction::suspend:
        return suspend(caller, job, false, now);
      case JobAction::resume:
        return suspend(caller, job, true, now);
      case JobAction::top:
        return move_to_top(caller, job, now);
      case JobAction::notify:
        return notify(caller, job, request.message);
    }
    return fail(ErrorCode::failure, "no such action");
  };
  const bool requeues = is_requeue(request.action), suspends = is_suspend(request.action);
  std::vector<wire::JobRef> refs = request.jobs;
  if (!request.name.empty())
    cluster_.jobs.each([&](const Job& job) {
      if (job.own.name == request.name && !is_ended(job.state) && may_change(caller, job))
        refs.push_back({.job = job.id});
    });
  for (const wire::JobRef& ref : refs) {
    auto ids = resolve(caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    const JobId het = cluster_.jobs.at(ids->front()).het_id;
    if (het && cluster_.settings().whole_het_jobs && is_hold(request.action))
      ids = resolve(caller, {.job = het});
    const bool whole = ids->size() > 1;
    TaskOutcomes outcomes(cluster_, ref);
    for (JobId id : *ids) {
      const Job job = cluster_.jobs.at(id);
      const bool skips_ended = whole && (job.is_het() || !request.name.empty());
      if (skips_ended && is_ended(job.state) && !(requeues && job.leads())) continue;
      if (requeues && whole && !job.leads()) continue;  // the first component takes it along
      if (suspends && !whole && job.is_het())
        outcomes.add(job, fail(ErrorCode::one_het_component));
      else
        outcomes.add(job, act(job));
    }
    std::move(outcomes).tell(reply);
  }
  return reply;
}

}  // namespace muster::controller
