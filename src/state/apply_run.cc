// Applies events of runs of jobs and their steps.
#include <algorithm>
#include <csignal>

#include "base/check.h"
#include "state/applier.h"
#include "state/step_end.h"

namespace muster {

namespace {

GresShare& find_or_add(std::vector<GresShare>& shares, const GresShare& like) {
  for (GresShare& share : shares)
    if (share.name == like.name && share.type == like.type) return share;
  shares.push_back({.name = like.name, .type = like.type});
  return shares.back();
}

void occupy_cpus(Node& node, const IdSet& cpus) {
  node.shared_cpus.add(node.used_cpus.intersect(cpus));
  node.used_cpus.merge(cpus);
}

void vacate_cpus(Node& node, const IdSet& cpus) {
  node.used_cpus.subtract(node.shared_cpus.remove(cpus));
}

void occupy(Node& node, const NodeShare& share, JobId job) {
  occupy_cpus(node, share.held_cpus());
  node.used_cpus.merge(share.left_to_system);
  node.used_memory_mib += share.memory_mib;
  for (const GresShare& gres : share.gres) {
    GresShare& used = find_or_add(node.used_gres, gres);
    used.count += gres.count;
    used.indices.merge(gres.indices);
  }
  node.jobs.insert(job.value);
}

void vacate(Node& node, const NodeShare& share, JobId job) {
  vacate_cpus(node, share.held_cpus());
  node.used_cpus.subtract(share.left_to_system);
  CHECK(node.used_memory_mib >= share.memory_mib);
  node.used_memory_mib -= share.memory_mib;
  for (const GresShare& gres : share.gres) {
    GresShare& used = find_or_add(node.used_gres, gres);
    CHECK(used.count >= gres.count);
    used.count -= gres.count;
    used.indices.subtract(gres.indices);
  }
  std::erase_if(node.used_gres, [](const GresShare& g) { return g.count == 0; });
  node.jobs.erase(job.value);
  node.completing.erase(job.value);
}

void mark_completing(Cluster& cluster, const Job& job) {
  for (NodeId node : job.run->unfinished)
    if (cluster.nodes.contains(node)) cluster.nodes.edit(node).completing.insert(job.id.value);
}

void lend_cpus(Cluster& cluster, const Job& job, NodeShare& share) {
  if (!job.run->unfinished.contains(share.node) || !cluster.nodes.contains(share.node)) return;
  vacate_cpus(cluster.nodes.edit(share.node), share.held_cpus());
  share.hold = CpuHold::lent;
}

// A node that has been released meanwhile has no CPUs to take back.
void take_back_cpus(Cluster& cluster, const std::set<NodeId>& held, NodeShare& share) {
  if (share.hold != CpuHold::lent || !held.contains(share.node)) return;
  share.hold = CpuHold::taken_back;
  if (cluster.nodes.contains(share.node))
    occupy_cpus(cluster.nodes.edit(share.node), share.held_cpus());
}

std::vector<NodeShare>::const_iterator share_on(const Run& run, NodeId node) {
  auto share = std::ranges::find(run.allocation, node, &NodeShare::node);
  CHECK(share != run.allocation.end());
  return share;
}

Run exits_of(const Run& run) {
  auto batch = run.steps.find(kBatchStep);
  return {.exit_status = batch == run.steps.end() ? run.exit_status : batch->second.exit_status,
          .derived_exit_status = run.derived_exit_status};
}

// What the next run is to know of those before it.
Sparse<EarlierRuns> with_this_run(const Job& job, Time at) {
  const Run& run = *job.run;
  const Again again = run.ending ? run.ending->again : Again::none;
  if (again == Again::none && job.spec->chunk == Minutes{0}) return run.earlier;
  EarlierRuns earlier = *run.earlier;
  earlier.pieces += again == Again::piece;
  earlier.retries += again == Again::retry;
  earlier.oom_retries += again == Again::retry_oom;
  if (job.spec->chunk > Minutes{0}) {
    earlier.run_time += job.run_time(at);
    if (!is_set(earlier.first_started)) earlier.first_started = run.started;
  }
  return earlier;
}

Step batch_step(const JobStarted& e) {
  const NodeShare& first = e.allocation.at(e.batch_index);
  Step step;
  step.id = kBatchStep;
  step.name = "batch";
  step.nodes = {{.node = first.node, .ranks = {0}, .share = first}};
  step.unfinished = {first.node};
  step.started = e.at;
  return step;
}

}  // namespace

void Applier::operator()(const JobStarted& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.state == JobState::pending && !job.is_array_record());
  job.state = JobState::running;
  job.attempt = e.attempt;
  job.partitions = e.partition;
  job.time_limit = e.time_limit;
  job.mailed &= ~kMailTimeLimits;
  if (e.priority) job.priority = e.priority;
  job.run = Run{.started = e.at,
                .waited_for = e.waited_for,
                .reservation = e.reservation,
                .has_preferred = e.has_preferred,
                .allocation = e.allocation,
                .preparing = e.preparing,
                .batch_done = !e.runs_batch,
                .turn_since = e.at,
                .earlier = job.run->earlier};
  Run& run = job.run.edit();
  if (e.runs_batch) run.steps[kBatchStep] = batch_step(e);
  for (const NodeShare& share : e.allocation) {
    run.unfinished.insert(share.node);
    occupy(cluster.nodes.edit(share.node), share, e.job);
  }
  cluster.pending.erase(e.job.value);
  cluster.active.insert(e.job.value);
}

void Applier::operator()(const JobsEnding& e) {
  for (std::uint32_t id : e.jobs.ids()) {
    Job& job = cluster.jobs.edit(JobId{id});
    job.run.edit().ending = e.ending;
    mark_completing(cluster, job);
  }
}

void Applier::operator()(const JobEnded& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.state = e.state;
  job.end_reason = e.reason;
  Run& run = job.run.edit();
  run.preparing = false;
  run.exit_status = e.exit_status;
  run.derived_exit_status = e.derived_exit_status;
  run.ended = e.at;
  run.queued_steps.clear();
  if (is_set(run.suspended_at)) {
    run.suspended_total += std::max(job.over_since() - run.suspended_at, Millis{0});
    run.suspended_at = Time{};
  }
  mark_completing(cluster, job);
  if (e.uncounted) cluster.uncounted.insert(e.job.value);
  retire_if_over(job);
  if (job.array_id) note_end_of_task(job.array_id, e.exit_status);
}

void Applier::operator()(const NodesReleased& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  Run& run = job.run.edit();
  for (NodeId node : e.nodes) {
    CHECK(run.unfinished.erase(node) == 1);
    give_back(e.job, share_on(run, node), e.at);
  }
  retire_if_over(job);
}

void Applier::operator()(const JobShrunk& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt && job.state == JobState::running);
  Run& run = job.run.edit();
  for (NodeId node : e.nodes) {
    auto share = share_on(run, node);
    // The job may have lost the node before (--no-kill).
    if (run.unfinished.erase(node) == 1) give_back(e.job, share, e.at);
    run.unwarned.erase(node);
    run.allocation.erase(share);
  }
  run.resized = e.at;
}

void Applier::give_back(JobId job, std::vector<NodeShare>::const_iterator share, Time at) {
  if (!cluster.nodes.contains(share->node)) return;
  Node& node = cluster.nodes.edit(share->node);
  vacate(node, *share, job);
  if (is_set(at)) node.last_busy = at;
}

void Applier::retire_if_over(const Job& job) {
  if (is_ended(job.state) && job.run->unfinished.empty()) cluster.active.erase(job.id.value);
}

void Applier::operator()(const JobRequeued& e) {
  note_requeue(cluster.jobs.at(e.job));
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.run->unfinished.empty());
  job.state = JobState::pending;
  job.hold = e.hold;
  if (e.hold != Hold::none) job.priority = 0;
  if (job.run->ending && job.run->ending->failure)
    ++job.failures;
  else if (job.run->preemption && job.run->preemption->by)
    ++job.preemptions;
  ++job.restarts;
  Sparse<Run> next;
  // Kept, so that somebody can look at them.
  if (e.hold == Hold::special_exit) next = exits_of(*job.run);
  if (auto earlier = with_this_run(job, e.at); !earlier.is_default())
    next.edit().earlier = std::move(earlier);
  job.run = std::move(next);
  job.end_reason = e.reason;
  job.eligible = e.eligible;
  job.accrues_since = Time{};
  // The job ran in one of the partitions it asked for; now it may run in any of them again.
  if (job.spec->partition.parsed().size() > 1) job.partitions = job.spec->partition;
  cluster.active.erase(e.job.value);
  cluster.uncounted.erase(e.job.value);
  cluster.pending.insert(e.job.value);
}

void Applier::note_requeue(const Job& job) {
  if (!job.array_id || !cluster.jobs.contains(job.array_id)) return;
  const bool had_ended = is_ended(job.state);
  ArrayExits& exits = cluster.jobs.edit(job.array_id).array.edit().exits;
  exits.requeued = true;
  if (had_ended && exits.ended > 0) --exits.ended;
}

void Applier::operator()(const JobSuspended& e) {
  Job& job = cluster.jobs.edit(e.job);
  Run& run = job.run.edit();
  if (e.resumed) {
    job.state = JobState::running;
    run.suspended_total += e.at - run.suspended_at;
    if (run.preemption && !run.awaits_turn && run.suspended_at >= run.preemption->since)
      run.preemption->kill_at += e.at - run.suspended_at;
    run.suspended_at = Time{};
    run.turn_since = e.at;
    for (NodeShare& share : run.allocation) take_back_cpus(cluster, run.unfinished, share);
  } else {
    job.state = JobState::suspended;
    run.suspended_at = e.at;
    if (!e.by_turn)
      for (NodeShare& share : run.allocation) lend_cpus(cluster, job, share);
  }
  run.awaits_turn = e.by_turn && !e.resumed;
}

void Applier::operator()(const JobPrepared& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  Run& run = job.run.edit();
  run.preparing = false;
  if (is_set(e.at)) run.started = e.at;
}

void Applier::operator()(const EpilogOwed& e) { cluster.owed_epilogs.edit().push_back(e.epilog); }

void Applier::operator()(const EpilogEnded& e) {
  std::erase_if(cluster.owed_epilogs.edit(), [&](const OwedEpilog& owed) {
    return owed.job == e.job && owed.attempt == e.attempt;
  });
}

void Applier::operator()(const StepCreated& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  run.steps[e.step.id] = e.step;
  run.queued_steps.erase(e.step.id);
  if (is_numbered(e.step.id)) run.next_step = std::max(run.next_step, e.step.id.value + 1);
}

void Applier::operator()(const StepQueued& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  run.queued_steps[e.step.id] = e.step;
  run.next_step = std::max(run.next_step, e.step.id.value + 1);
}

void Applier::operator()(const StepDequeued& e) {
  cluster.jobs.edit(e.job).run.edit().queued_steps.erase(e.step);
}

void Applier::operator()(const StepLimitChanged& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  for (StepId id : e.steps)
    for (auto* steps : {&run.steps, &run.queued_steps})
      if (auto step = steps->find(id); step != steps->end()) step->second.time_limit = e.time_limit;
}

void Applier::operator()(const StepNodeEnded& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  Run& run = job.run.edit();
  Step& step = run.steps.at(e.step);
  step = with_end(std::move(step), e);
  if (!is_ended(step.state)) return;
  if (e.step == kBatchStep) run.batch_done = true;
  if (stays_after_its_end(e.step)) return;
  // Only steps that ended by themselves count: if the job was ended, its steps say nothing, unless
  // srun made the job for this one step.
  if (!run.ending || job.spec->made_by_srun)
    run.derived_exit_status = std::max(run.derived_exit_status, step.exit_status);
  run.out_of_memory |= step.out_of_memory;
  run.steps.erase(e.step);
}

void Applier::operator()(const JobPreempted& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.run.edit().preemption = e.preemption;
  job.preempted_by = e.preemption.by;
}

void Applier::operator()(const JobNoticed& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  run.noticed = e.limit;
  run.drain_noticed = e.drain;
}

// More time in the stage that the job is in: being ended, its grace period, or at its time limit.
void Applier::operator()(const GraceExtended& e) {
  Run& run = cluster.jobs.edit(e.job).run.edit();
  run.granted += e.by;
  if (run.ending)
    run.ending->grace += e.by;
  else if (run.preemption)
    run.preemption->kill_at += e.by;
  else
    run.over_limit += e.by;
}

}  // namespace muster
