// The site's own programs around a job: what follows from their ends, and the extern step that
// PrologFlags=Contain asks for.
#include <algorithm>

#include "controller/core.h"
#include "controller/effects/program_environment.h"
#include "controller/nodes/node_change.h"

namespace muster::controller {
namespace {

// As long as Slurm keeps a requeued job back: a PrologSlurmctld that fails every time must not keep
// the cluster busy.
constexpr Seconds kDelayAfterFailure{120};

}  // namespace

void Core::run_program(SiteProgramRun::Which which, const Job& job) {
  SiteProgramRun run{.which = which, .job = job.id, .attempt = job.attempt, .gid = job.spec->gid};
  run.environment = which == SiteProgramRun::Which::prolog_slurmctld
                        ? prolog_slurmctld_environment(cluster_, job)
                        : epilog_slurmctld_environment(cluster_, job);
  if (which == SiteProgramRun::Which::prolog_slurmctld)
    prologs_running_.insert(job.id);
  else
    record(EpilogOwed{
        {.job = run.job, .attempt = run.attempt, .gid = run.gid, .environment = run.environment}});
  open_.programs.push_back(std::move(run));
}

// What an earlier controller had begun when it ended, or not even that.
void Core::run_owed_epilogs() {
  for (const OwedEpilog& owed : *cluster_.owed_epilogs)
    open_.programs.push_back({.which = SiteProgramRun::Which::epilog_slurmctld,
                              .job = owed.job,
                              .attempt = owed.attempt,
                              .gid = owed.gid,
                              .environment = owed.environment,
                              .arguments = {}});
}

void Core::on_program_ended(const SiteProgramRun& run, bool succeeded, Time now) {
  now_ = now;
  if (run.which == SiteProgramRun::Which::epilog_slurmctld)  // its failure is in the log
    return record(EpilogEnded{.job = run.job, .attempt = run.attempt});
  if (run.which != SiteProgramRun::Which::prolog_slurmctld) return;
  prologs_running_.erase(run.job);
  const Job* job = cluster_.jobs.find(run.job);
  if (!job || job->attempt != run.attempt || !job->run->preparing || job->run->ending ||
      is_ended(job->state))
    return;
  if (succeeded) {
    return launch_if_prepared(run.job, now);
  }
  Ending ending{.becomes = JobState::cancelled, .by = options_.slurm_user, .since = now};
  ending.requeue = may_requeue(*job);
  ending.delay = kDelayAfterFailure;
  order_end(run.job, ending, Reach::all_components);
  // Nothing was launched: no node has anything of it to end, but an srun may wait for it there.
  const std::set<NodeId> nodes = cluster_.jobs.at(run.job).run->unfinished;
  for (NodeId node : nodes) {
    drop_from_node(cluster_.jobs.at(run.job), node, 0, now);
    order(node, wire::EndJobOrder{.job = run.job, .attempt = run.attempt, .kill_wait = Seconds{0}});
  }
  settle_components(run.job, now);
}

// The node is drained and the job goes back to the queue, held: it would meet the same failure
// again elsewhere if the fault is its own.
void Core::on_prolog_failed(NodeId node, JobId id, Attempt attempt, Time now) {
  const Job* job = cluster_.jobs.find(id);
  if (!job || job->attempt != attempt || !job->run->unfinished.contains(node)) return;
  drain_for_program(node, "Prolog error", now);
  job = &cluster_.jobs.at(id);
  if (job->run->ending || is_ended(job->state)) return;
  put_back_held(*job, JobState::failed,
                may_requeue(*job) || (cluster_.settings().programs.force_requeue &&
                                      job->spec->kind == JobKind::batch),
                now);
}

// A job that could not be launched does not try again by itself. `otherwise`: what becomes of one
// that does not return to the queue.
void Core::put_back_held(const Job& job, JobState otherwise, bool requeue, Time now) {
  const JobId id = job.id;
  Ending ending{.becomes = otherwise, .by = options_.slurm_user, .since = now};
  if (requeue) {
    ending.becomes = JobState::cancelled;
    ending.requeue = ending.hold = true;
    ending.reason = "launch_failed_requeued_held";
  }
  order_end(id, ending, Reach::all_components);
  settle_components(id, now);
}

// The fault is the node's: nothing has to be mended before the job is tried again.
void Core::try_elsewhere(const Job& job, Time now) {
  const JobId id = job.id;
  Ending ending{.becomes = JobState::failed, .by = options_.slurm_user, .since = now};
  if (may_requeue(job)) {
    ending.becomes = JobState::cancelled;
    ending.requeue = true;
  }
  order_end(id, ending, Reach::all_components);
  settle_components(id, now);
}

// PrologFlags=DeferBatch: the script waits for the Prologs of all nodes.
void Core::on_prepared(NodeId node, const wire::PreparedReport& report) {
  sessions_.at(node).ready.insert({report.job, report.attempt});
  const Job* job = cluster_.jobs.find(report.job);
  if (!job || job->attempt != report.attempt || !is_ready_everywhere(*job)) return;
  if (auto batch = job->run->steps.find(kBatchStep); batch != job->run->steps.end())
    touch_node(batch->second.nodes.front().node);
}

bool Core::is_ready_everywhere(const Job& job) const {
  return std::ranges::all_of(job.run->allocation, [&](const NodeShare& share) {
    auto session = sessions_.find(share.node);
    return session != sessions_.end() && session->second.ready.contains({job.id, job.attempt});
  });
}

void Core::drain_for_program(NodeId id, std::string_view reason, Time now) {
  const Node& node = cluster_.nodes.at(id);
  host_.log_error("node " + node.config.name.str() + ": " + std::string(reason) +
                  ", setting DRAIN");
  if (node.drain) return;
  NodeChanged change = current(node);
  change.drain = true;
  change.reason = reason;
  change.reason_uid = options_.slurm_user;
  change.reason_time = now;
  record(change);
  touch_node(id);
}

void Core::create_extern_step(JobId id, Time now) {
  const Job& job = cluster_.jobs.at(id);
  Step step;
  step.id = kExternStep;
  step.name = "extern";
  step.started = now;
  step.num_tasks = static_cast<std::uint32_t>(job.run->allocation.size());
  std::uint32_t rank = 0;
  for (const NodeShare& share : job.run->allocation) {
    step.nodes.push_back({.node = share.node, .ranks = {rank++}, .share = share});
    step.unfinished.insert(share.node);
  }
  record(StepCreated{.job = id, .step = std::move(step)});
}

}  // namespace muster::controller
