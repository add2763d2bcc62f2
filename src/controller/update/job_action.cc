// scontrol hold, uhold, release, requeue, requeuehold, suspend, resume, notify. top is in top.cc.
#include "controller/update/update.h"

#include <algorithm>

#include "base/text/strings.h"
#include "controller/jobs/ending.h"
#include "controller/jobs/gang.h"
#include "controller/jobs/select.h"
#include "controller/jobs/task_outcomes.h"
#include "controller/links/step_launches.h"
#include "sched/place/place.h"
#include "sched/priority/priority.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

// A job that was submitted with --hold has not been checked yet. One suitable partition is enough.
Result<void> could_ever_start(const Cluster& cluster, const Job& job) {
  ErrorCode last{};
  for (const Text& name : job.partitions.parsed()) {
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

Result<void> hold(Ledger& ledger, Caller caller, const Job& job, Hold kind) {
  if (!ledger.rights().may_manage(caller, job)) return fail(ErrorCode::user_id_missing);
  if (is_ended(job.state)) return fail(ErrorCode::job_finished);
  if (job.hold == Hold::admin && !ledger.rights().administers(caller)) {
    if (kind == Hold::none) return fail(ErrorCode::access_denied);
    return {};  // an administrator's hold stays
  }
  if (kind == Hold::none && job.spec->hold && job.hold != Hold::none)
    if (auto ok = could_ever_start(ledger.cluster(), job); !ok) return ok;
  // Releasing a job that is not held keeps its priority; a held job queues up behind the others.
  std::uint32_t priority = 0;
  if (kind == Hold::none)
    priority = job.priority ? job.priority
                            : sched::basic_priority(ledger.cluster().next_job_id, job.spec->nice);
  ledger.record(JobsHeld{.jobs = IdSet::range(job.id.value, job.id.value),
                         .hold = kind,
                         .priority = priority,
                         .at = ledger.now()});
  ledger.want_plan();
  return {};
}

namespace {

enum class Requeue : std::uint8_t { plain, held, special_exit };

Result<void> requeue(Ledger& ledger, Caller caller, const Job& job, Requeue how, JobId asking_job) {
  const Time now = ledger.now();
  if (!ledger.rights().may_manage(caller, job)) return fail(ErrorCode::access_denied);
  if (job.spec->kind != JobKind::batch) return fail(ErrorCode::batch_only);
  bool allowed = job.spec->requeue.value_or(ledger.settings().job_requeue);
  if (!allowed) return fail(ErrorCode::disabled);
  const bool goes_back = job.run->ending && job.run->ending->requeue;
  if (job.state == JobState::pending || goes_back) return fail(ErrorCode::job_pending);
  if (!job.leads()) return fail(ErrorCode::not_het_leader);
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
  else if (job.restarts > 0)  // perhaps a job that requeues itself again and again
    ending.delay = pause_before_next_run(job, now);
  if (is_ended(job.state)) {
    const auto components = ledger.cluster().components(job);
    for (const Job* component : components)
      if (!component->run->unfinished.empty()) return fail(ErrorCode::transition_state_no_update);
    std::vector<JobId> ids;
    for (const Job* component : components) ids.push_back(component->id);
    for (JobId each : ids) requeue_now(ledger, each, ending);
    return {};
  }
  if (job.run->ending) return fail(ErrorCode::transition_state_no_update);
  order_end(ledger, id, ending, Reach::all_components);
  advance_endings(ledger, id);
  return {};
}

Result<void> suspend(Ledger& ledger, Caller caller, const Job& job, bool resume) {
  if (!ledger.rights().administers(caller)) return fail(ErrorCode::access_denied);
  if (job.state == JobState::pending) return fail(ErrorCode::job_pending);
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  const bool is_suspended = job.state == JobState::suspended;
  if (resume && !is_suspended) return fail(ErrorCode::job_not_suspended);
  if (job.run->awaits_turn) return fail(ErrorCode::disabled);
  if (is_suspended && !resume) return {};
  set_suspended(ledger, job.id, !resume, false);
  ledger.want_plan();  // others may use its CPUs
  return {};
}

// Writes to the output of a batch script, or to the command that keeps an allocation.
Result<void> notify(Ledger& ledger, Allocations& allocations, Caller caller, const Job& job,
                    const Text& message) {
  if (!ledger.rights().may_manage(caller, job)) return fail(ErrorCode::user_id_missing);
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  if (job.state == JobState::pending) return fail(ErrorCode::disabled);
  if (job.spec->kind == JobKind::batch) {
    const NodeId first = job.run->allocation.front().node;
    ledger.order(first, wire::NotifyOrder{.job = job.id, .attempt = job.attempt, .text = message});
    return {};
  }
  return allocations.tell_keeper(job, message);
}

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

wire::Answer job_action(Ledger& ledger, Host& host, StepLaunches& launches,
                        Allocations& allocations, Caller caller,
                        const wire::JobActionRequest& request) {
  using wire::JobAction;
  wire::CancelReply reply;
  auto act = [&](const Job& job) -> Result<void> {
    switch (request.action) {
      case JobAction::hold:
        return hold(ledger, caller, job, ledger.rights().hold_by(caller));
      case JobAction::user_hold:
        return hold(ledger, caller, job, Hold::user);
      case JobAction::release:
        return hold(ledger, caller, job, Hold::none);
      case JobAction::requeue:
        return requeue(ledger, caller, job, Requeue::plain, request.asking_job);
      case JobAction::requeue_hold:
        return requeue(ledger, caller, job, Requeue::held, request.asking_job);
      case JobAction::requeue_special:
        return requeue(ledger, caller, job, Requeue::special_exit, request.asking_job);
      case JobAction::suspend:
        return suspend(ledger, caller, job, false);
      case JobAction::resume:
        return suspend(ledger, caller, job, true);
      case JobAction::top:
        return move_to_top(ledger, host, launches, caller, job);
      case JobAction::notify:
        return notify(ledger, allocations, caller, job, request.message);
    }
    return fail(ErrorCode::failure, "no such action");
  };
  const bool requeues = is_requeue(request.action), suspends = is_suspend(request.action);
  std::vector<wire::JobRef> refs = request.jobs;
  if (!request.name.empty())
    ledger.cluster().jobs.each([&](const Job& job) {
      if (job.own.name == request.name && !is_ended(job.state) &&
          ledger.rights().may_manage(caller, job))
        refs.push_back({.job = job.id});
    });
  for (const wire::JobRef& ref : refs) {
    auto ids = resolve(ledger, caller, ref);
    if (!ids) {
      reply.errors.emplace_back(ref, ids.error());
      continue;
    }
    const JobId het = ledger.job(ids->front()).het_id;
    if (het && ledger.settings().whole_het_jobs && is_hold(request.action))
      ids = resolve(ledger, caller, {.job = het});
    const bool whole = ids->size() > 1;
    TaskOutcomes outcomes(ledger.cluster(), ref);
    for (JobId id : *ids) {
      const Cow<Job> job = ledger.job_as_it_is(id);
      const bool skips_ended = whole && (job->is_het() || !request.name.empty());
      if (skips_ended && is_ended(job->state) && !(requeues && job->leads())) continue;
      // The first component requeues this one as well.
      if (requeues && whole && !job->leads()) continue;
      if (suspends && !whole && job->is_het())
        outcomes.add(*job, fail(ErrorCode::one_het_component));
      else
        outcomes.add(*job, act(*job));
    }
    std::move(outcomes).tell(reply);
  }
  return reply;
}

}  // namespace muster::controller
