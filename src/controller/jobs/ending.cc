// Records ends of runs and jobs, and carries out what follows from them.
#include "controller/jobs/ending.h"

#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "controller/jobs/programs.h"
#include "controller/jobs/retry.h"
#include "controller/jobs/usage.h"
#include "controller/nodes/power_rules.h"
#include "sched/priority/usage.h"

namespace muster::controller {

namespace {

bool runs_something_on(const Job& job, NodeId node) {
  return std::any_of(job.run->steps.begin(), job.run->steps.end(),
                     [&](const auto& entry) { return entry.second.unfinished.contains(node); });
}

bool has_job_ended_by_itself(const Job& job) { return job.runs_batch() && job.run->batch_done; }

}  // namespace

void release_node(Ledger& ledger, JobId id, NodeId node) {
  const Job& job = ledger.job(id);
  if (!job.run->unfinished.contains(node) || !(job.run->ending || is_ended(job.state))) return;
  release_nodes(ledger, id, {node});
}

void release_nodes(Ledger& ledger, JobId id, const std::vector<NodeId>& nodes) {
  const Time now = ledger.now();
  const Attempt attempt = ledger.job(id).attempt;
  ledger.record(NodesReleased{.job = id, .attempt = attempt, .nodes = nodes, .at = now});
  for (NodeId node : nodes) ledger.touch(node);
  power_down_if_left_idle(ledger, ledger.job(id), nodes);
  ledger.want_plan();
}

void shrink(Ledger& ledger, StepLaunches& launches, JobId id, std::size_t keeps) {
  const Time now = ledger.now();
  const Cow<Job> job = ledger.job_as_it_is(id);
  const auto& allocation = job->run->allocation;
  auto batch = job->run->steps.find(kBatchStep);
  const NodeId stays =
      batch != job->run->steps.end() ? batch->second.nodes.front().node : allocation.front().node;
  std::vector<NodeId> given;
  for (auto share = allocation.rbegin(); share != allocation.rend(); ++share)
    if (share->node != stays && allocation.size() - given.size() > keeps)
      given.push_back(share->node);
  if (given.empty()) return;
  count_usage(ledger, now);  // while the state still shows what the job held
  for (NodeId node : given) drop_from_node(ledger, launches, id, node, SIGKILL);
  ledger.record(JobShrunk{.job = id, .attempt = job->attempt, .nodes = given, .at = now});
  for (NodeId node : given) ledger.touch(node);
  power_down_if_left_idle(ledger, ledger.job(id), given);
  ledger.want_plan();
}

void drop_from_node(Ledger& ledger, StepLaunches& launches, JobId id, NodeId node,
                    std::uint32_t status) {
  const Job& job = ledger.job(id);
  std::vector<StepId> left;
  for (const auto& [step_id, step] : job.run->steps)
    if (step.unfinished.contains(node)) left.push_back(step_id);
  Attempt attempt = job.attempt;
  for (StepId step : left) {  // recording an event changes job.run->steps
    ledger.record(StepNodeEnded{.job = id,
                                .attempt = attempt,
                                .step = step,
                                .node = node,
                                .exit_status = status,
                                .at = ledger.now()});
    launches.forget_if_over(ledger.cluster(), id, step);
  }
}

namespace {

// The run is over and is not requeued.
void finish(Ledger& ledger, const Job& job) {
  const Time now = ledger.now();
  JobId id = job.id;
  const auto batch = job.run->steps.find(kBatchStep);
  std::uint32_t status =
      batch == job.run->steps.end() ? job.run->exit_status : batch->second.exit_status;
  JobState state = JobState::completed;
  if (job.run->ending) {
    state = job.run->ending->becomes;
    const bool told_to_end = state == JobState::cancelled || state == JobState::timeout;
    const bool lost = state == JobState::node_fail;  // the exit status of its script is unknown
    if (lost || (told_to_end && ends_alone(ledger.cluster(), job)))
      status = 0;
    else if (told_to_end && batch == job.run->steps.end())
      status = SIGTERM;
    if (job.spec->kind == JobKind::allocation && state != JobState::timeout)
      status = job.spec->made_by_srun ? job.run->derived_exit_status : job.run->exit_status;
  } else if (batch != job.run->steps.end() && batch->second.out_of_memory) {
    state = JobState::out_of_memory;
    status = kOutOfMemoryStatus;
  } else if (status != 0) {
    state = JobState::failed;
  }
  record_end(ledger, {.job = id,
                      .state = state,
                      .exit_status = status,
                      .derived_exit_status = job.run->derived_exit_status,
                      .at = now,
                      .reason = job.run->ending && !job.run->ending->reason.empty()
                                    ? job.run->ending->reason
                                    : Text(end_reason(state, status))});
}

// --chunk, --retry and --retry-oom. A script that ends with 0 is done.
std::optional<Ending> runs_again(const Cluster& cluster, const Job& job, std::uint32_t status,
                                 Time now) {
  const Again again = why_again(cluster, job, status);
  if (again == Again::none || !may_requeue(cluster, job)) return std::nullopt;
  Ending ending{.becomes = again == Again::piece       ? JobState::timeout
                           : again == Again::retry_oom ? JobState::out_of_memory
                                                       : JobState::failed,
                .since = now,
                .requeue = true,
                .again = again};
  ending.delay = pause_before_next_run(job, now);
  return ending;
}

// How a run that ended by itself goes on: nothing, or the end that requeues it.
std::optional<Ending> ends_as(const Cluster& cluster, const Job& job, Time now) {
  if (job.run->preemption)
    return Ending{.becomes = JobState::preempted,
                  .since = now,
                  .requeue = job.run->preemption->mode == PreemptMode::requeue};
  auto batch = job.run->steps.find(kBatchStep);
  if (batch == job.run->steps.end()) return std::nullopt;
  std::uint32_t status = batch->second.exit_status;
  if (auto again = runs_again(cluster, job, status, now)) return again;
  if ((status & 0x7f) != 0 || status == 0) return std::nullopt;
  const Settings& s = cluster.settings();
  std::uint32_t code = status >> 8;
  bool held = s.requeue_exits_held.contains(code);
  if (!held && !s.requeue_exits.contains(code)) return std::nullopt;
  Ending ending{
      .becomes = JobState::failed, .since = now, .requeue = true, .hold = held, .special = held};
  ending.delay = pause_before_next_run(job, now);
  return ending;
}

}  // namespace

void advance_ending(Ledger& ledger, JobId id) {
  const Time now = ledger.now();
  const Job* job = &ledger.job(id);
  bool over = job->run->ending || is_ended(job->state) || has_job_ended_by_itself(*job);
  if (!over || job->state == JobState::pending) return;

  // A job that ended by itself is recorded as ended now. Its processes on other nodes are cleaned
  // up afterwards.
  if (!job->run->ending && !is_ended(job->state)) {
    if (auto ending = ends_as(ledger.cluster(), *job, now))
      order_end(ledger, id, *ending, Reach::all_components);
    else
      finish(ledger, *job);
  }
  end_other_components(ledger, id);
  job = &ledger.job(id);
  if (job->state == JobState::pending) return;

  std::vector<NodeId> idle;
  for (NodeId node : job->run->unfinished)
    if (!runs_something_on(*job, node) && !ledger.settings().programs.on_nodes())
      idle.push_back(node);
  if (!idle.empty()) release_nodes(ledger, id, idle);
  job = &ledger.job(id);
  if (!job->run->unfinished.empty()) {
    touch_nodes_of(ledger, *job);
    return;
  }
  bool returns = job->run->ending && job->run->ending->requeue;
  if (!is_ended(job->state) && !returns) finish(ledger, *job);
  requeue_components(ledger, id);
}

void record_end(Ledger& ledger, JobEnded end) {
  if (ledger.job(end.job).state == JobState::suspended) count_usage(ledger, end.at);
  end.uncounted = sched::counts_usage(ledger.cluster());
  const JobId id = end.job;
  ledger.record(std::move(end));
  run_epilog(ledger, ledger.job(id));
}

namespace {

// Failures and preemptions are counted separately: a job that is often preempted is not at fault.
bool requeued_too_often(const Settings& settings, const Ending& ending, const Job& job) {
  if (ending.failure) return job.failures >= settings.max_batch_requeue;
  const bool makes_room = job.run->preemption && job.run->preemption->by;
  return makes_room && settings.max_preempt_requeue &&
         job.preemptions >= *settings.max_preempt_requeue;
}

}  // namespace

void requeue_now(Ledger& ledger, JobId id, const Ending& ending) {
  const Time now = ledger.now();
  const Cow<Job> was = ledger.job_as_it_is(id);
  const Job& job = *was;
  CHECK(job.run->unfinished.empty());
  count_usage(ledger, now);
  if (!is_ended(job.state)) run_epilog(ledger, job);
  // A job that an administrator suspended is held until an administrator releases it.
  const bool stopped = job.state == JobState::suspended && !job.run->awaits_turn;
  const bool kept = stopped || requeued_too_often(ledger.settings(), ending, job);
  const bool held_by_admin =
      kept || (ending.reason.empty() && ledger.authority().is_operator(ending.by));
  ledger.record(JobRequeued{.job = id,
                            .at = now,
                            .hold = ending.special          ? Hold::special_exit
                                    : !ending.hold && !kept ? job.hold
                                    : held_by_admin         ? Hold::admin
                                                            : Hold::user,
                            .eligible = now + ending.delay,
                            .reason = ending.reason});
  if (auto change = change_for_next_run(ledger.cluster(), job, ledger.job(id)))
    ledger.record(std::move(*change));
  ledger.want_plan();
}

bool may_requeue(const Cluster& cluster, const Job& job) {
  return job.spec->kind == JobKind::batch &&
         job.spec->requeue.value_or(cluster.settings().job_requeue);
}

Result<void> end_job(Ledger& ledger, const Job& job, Ending ending,
                     std::string_view pending_reason) {
  const Time now = ledger.now();
  if (is_ended(job.state)) return fail(ErrorCode::already_done);
  JobId id = job.id;
  if (job.state == JobState::pending) {
    IdSet ids = IdSet::range(id.value, id.value);
    ids.merge(job.het_jobs());  // components wait together and are cancelled together
    ledger.record(PendingJobsEnded{.jobs = ids,
                                   .state = ending.becomes,
                                   .by = ending.by,
                                   .at = now,
                                   .reason = pending_reason});
    ledger.want_plan();
    return {};
  }
  // A cancel replaces a requeue that is under way; a second cancel changes nothing.
  if (job.run->ending && !job.run->ending->requeue) return fail(ErrorCode::already_done);
  const bool all = job.leads() || ledger.settings().whole_het_jobs;
  order_end(ledger, id, ending, all ? Reach::all_components : Reach::job);
  advance_endings(ledger, id);
  return {};
}

Seconds pause_before_next_run(const Job& job, Time now) {
  constexpr Seconds kStartsApart{10};
  return std::max(std::chrono::ceil<Seconds>(job.run->started + kStartsApart - now), Seconds{0});
}

void requeue_held(Ledger& ledger, JobId id, JobState otherwise, bool requeue) {
  const Time now = ledger.now();
  Ending ending{.becomes = otherwise, .by = ledger.authority().slurm_user, .since = now};
  if (requeue) {
    ending.becomes = JobState::cancelled;
    ending.requeue = ending.hold = true;
    ending.reason = "launch_failed_requeued_held";
  }
  order_end(ledger, id, ending, Reach::all_components);
  advance_endings(ledger, id);
}

void try_elsewhere(Ledger& ledger, JobId id) {
  const Time now = ledger.now();
  Ending ending{.becomes = JobState::failed, .by = ledger.authority().slurm_user, .since = now};
  if (may_requeue(ledger.cluster(), ledger.job(id))) {
    ending.becomes = JobState::cancelled;
    ending.requeue = true;
  }
  order_end(ledger, id, ending, Reach::all_components);
  advance_endings(ledger, id);
}

}  // namespace muster::controller
