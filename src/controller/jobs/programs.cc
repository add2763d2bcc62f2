// Runs site programs, and handles their ends.
#include "controller/jobs/programs.h"

#include <algorithm>

#include "controller/effects/outgoing.h"
#include "controller/effects/program_environment.h"
#include "controller/jobs/ending.h"
#include "controller/nodes/node_change.h"
#include "controller/nodes/power_rules.h"

namespace muster::controller {
namespace {

// The delay of Slurm after such a requeue: a PrologSlurmctld that fails every time must not keep
// the cluster busy.
constexpr Seconds kDelayAfterFailure{120};

}  // namespace

void run_epilog(Ledger& ledger, const Job& job) {
  if (!ledger.settings().programs.epilog_slurmctld) return;
  SiteProgramRun run{.which = SiteProgramRun::Which::epilog_slurmctld,
                     .job = job.id,
                     .attempt = job.attempt,
                     .gid = job.spec->gid,
                     .environment = epilog_slurmctld_environment(ledger.cluster(), job)};
  ledger.record(EpilogOwed{
      {.job = run.job, .attempt = run.attempt, .gid = run.gid, .environment = run.environment}});
  ledger.run(std::move(run));
}

void Programs::start_prolog(const Job& job) {
  prologs_running_.insert(job.id);
  ledger_.run({.which = SiteProgramRun::Which::prolog_slurmctld,
               .job = job.id,
               .attempt = job.attempt,
               .gid = job.spec->gid,
               .environment = prolog_slurmctld_environment(ledger_.cluster(), job),
               .arguments = {}});
}

void run_owed_epilogs(Ledger& ledger) {
  for (const OwedEpilog& owed : *ledger.cluster().owed_epilogs)
    ledger.run({.which = SiteProgramRun::Which::epilog_slurmctld,
                .job = owed.job,
                .attempt = owed.attempt,
                .gid = owed.gid,
                .environment = owed.environment,
                .arguments = {}});
}

void Programs::on_ended(const SiteProgramRun& run, bool succeeded) {
  if (run.which == SiteProgramRun::Which::epilog_slurmctld)  // a failure is in the log
    return ledger_.record(EpilogEnded{.job = run.job, .attempt = run.attempt});
  if (run.which != SiteProgramRun::Which::prolog_slurmctld) return;
  const Job* job = ledger_.cluster().jobs.find(run.job);
  const bool is_awaited = job && job->attempt == run.attempt && job->run->preparing &&
                          !job->run->ending && !is_ended(job->state);
  if (is_awaited && !succeeded) give_up(run.job);
  prologs_running_.erase(run.job);
  if (is_awaited && succeeded) launch_if_prepared(run.job);
}

// Nothing was launched, so no node has anything to end; but an srun may be waiting there.
void Programs::give_up(JobId id) {
  const Job& job = ledger_.job(id);
  const Attempt attempt = job.attempt;
  Ending ending{
      .becomes = JobState::cancelled, .by = ledger_.authority().slurm_user, .since = ledger_.now()};
  ending.requeue = may_requeue(ledger_.cluster(), job);
  ending.delay = kDelayAfterFailure;
  order_end(ledger_, id, ending, Reach::all_components);
  const std::set<NodeId> nodes = ledger_.job(id).run->unfinished;
  for (NodeId node : nodes) {
    drop_from_node(ledger_, links_.launches(), id, node, 0);
    ledger_.order(node, wire::EndJobOrder{.job = id, .attempt = attempt, .kill_wait = Seconds{0}});
  }
  advance_endings(ledger_, id);
}

void on_prolog_failed(Ledger& ledger, NodeId node, JobId id, Attempt attempt) {
  const Job* job = ledger.cluster().jobs.find(id);
  if (!job || job->attempt != attempt || !job->run->unfinished.contains(node)) return;
  drain_node(ledger, node, "Prolog error");
  job = &ledger.job(id);
  if (job->run->ending || is_ended(job->state)) return;
  requeue_held(ledger, id, JobState::failed,
               may_requeue(ledger.cluster(), *job) ||
                   (ledger.settings().programs.force_requeue && job->spec->kind == JobKind::batch));
}

void create_extern_step(Ledger& ledger, JobId id) {
  const Time now = ledger.now();
  const Job& job = ledger.job(id);
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
  ledger.record(StepCreated{.job = id, .step = std::move(step)});
}

void Programs::launch_if_prepared(JobId id) {
  const Time now = ledger_.now();
  const Job* job = ledger_.cluster().jobs.find(id);
  if (!job || !job->run->preparing || job->run->ending || is_ended(job->state)) return;
  if (prologs_running_.contains(id) || !all_on(ledger_.cluster(), job->run->allocation)) return;
  const bool waited_for_node =
      reboots_first(ledger_.cluster(), *job) ||
      std::ranges::any_of(job->run->allocation, [&](const NodeShare& share) {
        return ledger_.node(share.node).power.since > job->run->started;
      });
  ledger_.record(
      JobPrepared{.job = id, .attempt = job->attempt, .at = waited_for_node ? now : Time{}});
  touch_nodes_of(ledger_, ledger_.job(id));
}

}  // namespace muster::controller
