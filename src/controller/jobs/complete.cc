// The ends of steps, runs and jobs. settle() is the one place that decides what follows from them;
// it may be called at any time and does nothing where nothing is over.
#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "controller/core.h"
#include "sched/priority/usage.h"

namespace muster::controller {

namespace {

bool runs_something_on(const Job& job, NodeId node) {
  return std::any_of(job.run->steps.begin(), job.run->steps.end(),
                     [&](const auto& entry) { return entry.second.unfinished.contains(node); });
}

bool has_job_ended_by_itself(const Job& job) { return job.runs_batch() && job.run->batch_done; }

}  // namespace

void Core::on_step_end(NodeId node, const wire::StepEnd& end, Time now) {
  if (end.unkillable) drain_for_program(node, "Kill task failed", now);
  if (!end.node_fault.empty()) drain_for_program(node, end.node_fault.view(), now);
  const Job* job = cluster_.jobs.find(end.ref.job);
  bool current = job && job->attempt == end.ref.attempt && job->run->unfinished.contains(node);
  if (auto session = sessions_.find(node); session != sessions_.end())
    session->second.known.erase(end.ref);
  if (current && end.prolog_failed) {
    on_prolog_failed(node, end.ref.job, end.ref.attempt, now);
    job = cluster_.jobs.find(end.ref.job);
  } else if (current && !end.node_fault.empty() && end.ref.step == kBatchStep &&
             !job->run->ending) {
    try_elsewhere(*job, now);
    job = cluster_.jobs.find(end.ref.job);
  } else if (current && end.not_begun && end.ref.step == kBatchStep && !job->run->ending) {
    put_back_held(*job, JobState::cancelled, may_requeue(*job), now);
    job = cluster_.jobs.find(end.ref.job);
  }
  if (current && job->run->steps.contains(end.ref.step) &&
      job->run->steps.at(end.ref.step).unfinished.contains(node)) {
    JobId id = job->id;
    record(StepNodeEnded{.job = id,
                         .attempt = end.ref.attempt,
                         .step = end.ref.step,
                         .node = node,
                         .exit_status = end.exit_status,
                         .out_of_memory = end.out_of_memory,
                         .usage = end.usage,
                         .at = now});
    forget_launch_if_over(id, end.ref.step);
    if (end.launch_failed)
      host_.log_error("job " + std::to_string(id.value) + ": launch failed: " + end.failure.str());
    settle(id, now);
  }
  // A stale attempt's report counts for nothing, but the node may forget it.
  order(node, wire::ConfirmOrder{.steps = {end.ref}});
}

void Core::on_job_gone(NodeId node, const wire::JobGoneReport& report, Time now) {
  const JobId id = report.job;
  if (auto session = sessions_.find(node); session != sessions_.end()) {
    session->second.ending.erase({id, report.attempt});
    session->second.prepared.erase({id, report.attempt});
    session->second.ready.erase({id, report.attempt});
  }
  if (report.epilog_failed) drain_for_program(node, "Epilog error", now);
  const Job* job = cluster_.jobs.find(id);
  if (!job || job->attempt != report.attempt || !job->run->unfinished.contains(node)) return;
  drop_from_node(*job, node, SIGTERM, now);
  release_node(id, node);
  settle(id, now);
}

// A node with programs of the site tells when it is done with a job: after the Epilog, not after
// the last process.
void Core::release_node(JobId id, NodeId node) {
  const Job& job = cluster_.jobs.at(id);
  if (!job.run->unfinished.contains(node) || !(job.run->ending || is_ended(job.state))) return;
  release_nodes(id, {node}, now_);
}

void Core::release_nodes(JobId id, const std::vector<NodeId>& nodes, Time now) {
  const Attempt attempt = cluster_.jobs.at(id).attempt;
  record(NodesReleased{.job = id, .attempt = attempt, .nodes = nodes, .at = now});
  for (NodeId node : nodes) touch_node(node);
  power_down_if_left_idle(cluster_.jobs.at(id), nodes);
  want_plan();
}

void Core::shrink(JobId id, std::size_t keeps, Time now) {
  const Job job = cluster_.jobs.at(id);
  const auto& allocation = job.run->allocation;
  auto batch = job.run->steps.find(kBatchStep);
  const NodeId stays =
      batch != job.run->steps.end() ? batch->second.nodes.front().node : allocation.front().node;
  std::vector<NodeId> given;
  for (auto share = allocation.rbegin(); share != allocation.rend(); ++share)
    if (share->node != stays && allocation.size() - given.size() > keeps)
      given.push_back(share->node);
  if (given.empty()) return;
  count_usage(now);  // while it can be told what the job held
  for (NodeId node : given) drop_from_node(cluster_.jobs.at(id), node, SIGKILL, now);
  record(JobShrunk{.job = id, .attempt = job.attempt, .nodes = given, .at = now});
  for (NodeId node : given) touch_node(node);
  power_down_if_left_idle(cluster_.jobs.at(id), given);
  want_plan();
}

// Nothing of the job is left on the node: whatever it should still have run there is over.
void Core::drop_from_node(const Job& job, NodeId node, std::uint32_t status, Time now) {
  JobId id = job.id;
  std::vector<StepId> left;
  for (const auto& [step_id, step] : job.run->steps)
    if (step.unfinished.contains(node)) left.push_back(step_id);
  Attempt attempt = job.attempt;
  for (StepId step : left) {
    record(StepNodeEnded{.job = id,
                         .attempt = attempt,
                         .step = step,
                         .node = node,
                         .exit_status = status,
                         .at = now});
    forget_launch_if_over(id, step);
  }
}

void Core::forget_launch_if_over(JobId id, StepId step) {
  if (!cluster_.jobs.at(id).run->steps.contains(step)) step_launches_.erase({id, step});
}

void Core::settle(JobId id, Time now) {
  const Job* job = &cluster_.jobs.at(id);
  bool over = job->run->ending || is_ended(job->state) || has_job_ended_by_itself(*job);
  if (!over || job->state == JobState::pending) return;

  // A job that ended by itself has its end now; what it left elsewhere is cleaned up behind it.
  if (!job->run->ending && !is_ended(job->state)) {
    if (auto ending = ends_as(*job, now))
      order_end(id, *ending, Reach::all_components);
    else
      finish(*job, now);
  }
  end_other_components(id, now);
  job = &cluster_.jobs.at(id);
  if (job->state == JobState::pending) return;

  std::vector<NodeId> idle;
  for (NodeId node : job->run->unfinished)
    if (!runs_something_on(*job, node) && !cluster_.settings().programs.on_nodes())
      idle.push_back(node);
  if (!idle.empty()) release_nodes(id, idle, now);
  job = &cluster_.jobs.at(id);
  if (!job->run->unfinished.empty()) {
    touch_nodes_of(*job);
    return;
  }
  bool returns = job->run->ending && job->run->ending->requeue;
  if (!is_ended(job->state) && !returns) finish(*job, now);
  put_back_components(id, now);
}

// The run is over and does not come back.
void Core::finish(const Job& job, Time now) {
  JobId id = job.id;
  const auto batch = job.run->steps.find(kBatchStep);
  std::uint32_t status =
      batch == job.run->steps.end() ? job.run->exit_status : batch->second.exit_status;
  JobState state = JobState::completed;
  if (job.run->ending) {
    state = job.run->ending->becomes;
    const bool told_to_end = state == JobState::cancelled || state == JobState::timeout;
    const bool lost = state == JobState::node_fail;  // nobody saw how its script ended
    if (lost || (told_to_end && ends_alone(job)))
      status = 0;
    else if (told_to_end && batch == job.run->steps.end())
      status = SIGTERM;
    if (job.spec->kind == JobKind::allocation && state != JobState::timeout)
      status = job.spec->for_own_step ? job.run->derived_exit_status : job.run->exit_status;
  } else if (batch != job.run->steps.end() && batch->second.out_of_memory) {
    state = JobState::out_of_memory;
    status = 125;
  } else if (status != 0) {
    state = JobState::failed;
  }
  record_end({.job = id,
              .state = state,
              .exit_status = status,
              .derived_exit_status = job.run->derived_exit_status,
              .at = now,
              .reason = job.run->ending && !job.run->ending->reason.empty()
                            ? job.run->ending->reason
                            : Text(end_reason(state, status))});
}

void Core::record_end(JobEnded end) {
  if (cluster_.jobs.at(end.job).state == JobState::suspended) count_usage(end.at);
  end.uncounted = sched::counts_usage(cluster_);
  const JobId id = end.job;
  record(std::move(end));
  if (cluster_.settings().programs.epilog_slurmctld)
    run_program(SiteProgramRun::Which::epilog_slurmctld, cluster_.jobs.at(id));
}

namespace {

// Failures and preemptions are counted apart: a job that gives way again and again is not at fault.
bool requeued_too_often(const Settings& settings, const Ending& ending, const Job& job) {
  if (ending.failure) return job.failures >= settings.max_batch_requeue;
  const bool makes_room = job.run->preemption && job.run->preemption->by;
  return makes_room && settings.max_preempt_requeue &&
         job.displaced >= *settings.max_preempt_requeue;
}

}  // namespace

void Core::put_back(const Ending& ending, const Job& job, Time now) {
  CHECK(job.run->unfinished.empty());
  count_usage(now);
  if (!is_ended(job.state) && cluster_.settings().programs.epilog_slurmctld)
    run_program(SiteProgramRun::Which::epilog_slurmctld, job);
  // Whom an administrator has stopped starts again when one says so.
  const bool stopped = job.state == JobState::suspended && !job.run->awaits_turn;
  const bool kept = stopped || requeued_too_often(cluster_.settings(), ending, job);
  const bool held_by_admin = kept || (ending.reason.empty() && is_operator({ending.by, {}}));
  record(JobRequeued{.job = job.id,
                     .at = now,
                     .hold = ending.special          ? Hold::special_exit
                             : !ending.hold && !kept ? job.hold
                             : held_by_admin         ? Hold::admin
                                                     : Hold::user,
                     .eligible = now + ending.delay,
                     .reason = ending.reason});
  want_plan();
}

bool Core::may_requeue(const Job& job) const {
  return job.spec->kind == JobKind::batch &&
         job.spec->requeue.value_or(cluster_.settings().job_requeue);
}

namespace {

// --no-kill: it goes on with the nodes that are left, as long as its script does.
bool goes_on_without(const Job& job, NodeId node) {
  if (!job.spec->no_kill || job.is_het() || job.run->ending || is_ended(job.state)) return false;
  auto batch = job.run->steps.find(kBatchStep);
  const bool has_script = batch != job.run->steps.end() && batch->second.unfinished.contains(node);
  return !has_script && job.run->unfinished.contains(node) && job.run->unfinished.size() > 1;
}

}  // namespace

void Core::lose_node(NodeId node, Time now, std::string_view why) {
  std::vector<JobId> ids;
  for (std::uint32_t id : cluster_.nodes.at(node).jobs.ids()) ids.push_back(JobId{id});
  for (JobId id : ids) {
    const Job& job = cluster_.jobs.at(id);
    const Job& leader = *cluster_.components(job).front();
    host_.log("job " + std::to_string(id.value) + " lost node " +
              cluster_.nodes.at(node).config.name.str() + ": " + std::string(why));
    if (goes_on_without(job, node)) {
      drop_from_node(job, node, SIGKILL, now);
      release_nodes(id, {node}, now);
      continue;
    }
    if (!job.run->ending && !is_ended(job.state)) {
      if (job.spec->kind == JobKind::allocation)  // nobody may be there to hear it
        (void)notify({options_.slurm_user, {}}, job,
                     "error: Node failure on " + cluster_.nodes.at(node).config.name.str());
      const bool again = may_requeue(leader);
      Ending ending{.becomes = JobState::node_fail, .since = now, .requeue = again};
      ending.failure = again;
      order_end(id, ending, Reach::all_components);
    }
    // A slurmd that is still there ends them like any other job, and then tells of it.
    auto session = sessions_.find(node);
    const bool runs_on = session != sessions_.end() && cluster_.nodes.at(node).responding &&
                         std::ranges::any_of(session->second.known, [&](const wire::StepRef& ref) {
                           return ref.job == id && ref.attempt == cluster_.jobs.at(id).attempt;
                         });
    if (!runs_on) {
      drop_from_node(cluster_.jobs.at(id), node, SIGKILL, now);
      release_node(id, node);
    }
    settle_components(id, now);
  }
}

}  // namespace muster::controller
