// Runs of jobs and their steps.
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
  node.used_again.add(node.used_cpus.intersect(cpus));
  node.used_cpus.merge(cpus);
}

void vacate_cpus(Node& node, const IdSet& cpus) {
  node.used_cpus.subtract(node.used_again.remove(cpus));
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
  for (NodeId node : job.unfinished)
    if (cluster.nodes.contains(node)) cluster.nodes.edit(node).completing.insert(job.id.value);
}

void lend_cpus(Cluster& cluster, const Job& job, NodeShare& share) {
  if (!job.unfinished.contains(share.node) || !cluster.nodes.contains(share.node)) return;
  vacate_cpus(cluster.nodes.edit(share.node), share.held_cpus());
  share.hold = CpuHold::lent;
}

void take_back_cpus(Cluster& cluster, NodeShare& share) {
  if (share.hold != CpuHold::lent) return;
  share.hold = CpuHold::taken_back;
  if (cluster.nodes.contains(share.node))
    occupy_cpus(cluster.nodes.edit(share.node), share.held_cpus());
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
  job.partition = e.partition;
  job.allocation = e.allocation;
  job.time_limit = e.time_limit;
  job.started = e.at;
  job.ended = Time{};
  job.warned = Time{};
  job.unwarned.clear();
  job.mailed &= ~kMailTimeLimits;
  job.turn_since = e.at;
  job.awaits_turn = false;
  job.batch_done = !e.runs_batch;
  job.preparing = e.preparing;
  job.reservation = e.reservation;
  job.waited_for = e.waited_for;
  job.has_preferred = e.has_preferred;
  if (e.priority) job.priority = e.priority;
  job.unfinished.clear();
  if (e.runs_batch) job.steps[kBatchStep] = batch_step(e);
  for (const NodeShare& share : e.allocation) {
    job.unfinished.insert(share.node);
    occupy(cluster.nodes.edit(share.node), share, e.job);
  }
  cluster.pending.erase(e.job.value);
  cluster.active.insert(e.job.value);
}

void Applier::operator()(const JobsEnding& e) {
  for (std::uint32_t id : e.jobs.ids()) {
    Job& job = cluster.jobs.edit(JobId{id});
    job.ending = e.ending;
    mark_completing(cluster, job);
  }
}

void Applier::operator()(const JobEnded& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.state = e.state;
  job.preparing = false;
  job.exit_status = e.exit_status;
  job.derived_exit_status = e.derived_exit_status;
  job.ended = e.at;
  job.end_reason = e.reason;
  job.queued_steps.clear();
  if (is_set(job.suspended_at)) {
    job.suspended_total += std::max(job.over_since() - job.suspended_at, Millis{0});
    job.suspended_at = Time{};
  }
  mark_completing(cluster, job);
  if (e.uncounted) cluster.uncounted.insert(e.job.value);
  retire_if_over(job);
  if (job.array_id) note_end_of_task(job.array_id, e.exit_status);
}

void Applier::operator()(const NodesReleased& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  for (NodeId node : e.nodes) {
    CHECK(job.unfinished.erase(node) == 1);
    auto share = std::find_if(job.allocation.begin(), job.allocation.end(),
                              [&](const NodeShare& s) { return s.node == node; });
    CHECK(share != job.allocation.end());
    if (!cluster.nodes.contains(node)) continue;
    vacate(cluster.nodes.edit(node), *share, e.job);
    if (is_set(e.at)) cluster.nodes.edit(node).last_busy = e.at;
  }
  retire_if_over(job);
}

void Applier::retire_if_over(const Job& job) {
  if (is_ended(job.state) && job.unfinished.empty()) cluster.active.erase(job.id.value);
}

void Applier::operator()(const JobRequeued& e) {
  note_requeue(cluster.jobs.at(e.job));
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.unfinished.empty());
  job.state = JobState::pending;
  job.hold = e.hold;
  if (e.hold != Hold::none) job.priority = 0;
  if (job.ending && job.ending->failure)
    ++job.failures;
  else if (job.preemption && job.preemption->by)
    ++job.displaced;
  job.ending.reset();
  job.preemption.reset();
  job.preparing = false;
  job.awaits_turn = false;
  ++job.restarts;
  job.allocation.clear();
  job.reservation = {};
  if (auto batch = job.steps.find(kBatchStep); batch != job.steps.end())
    job.exit_status = batch->second.exit_status;
  job.steps.clear();
  job.queued_steps.clear();
  job.next_step = 0;
  job.started = job.ended = job.suspended_at = job.warned = Time{};
  job.suspended_total = {};
  if (e.hold != Hold::special_exit) job.exit_status = job.derived_exit_status = 0;
  job.end_reason = e.reason;
  job.eligible = e.eligible;
  job.accrues_since = Time{};
  // It ran in one of the partitions it asked for and may now run in any of them.
  if (job.spec->partition.view().find(',') != std::string_view::npos)
    job.partition = job.spec->partition;
  cluster.active.erase(e.job.value);
  cluster.uncounted.erase(e.job.value);
  cluster.pending.insert(e.job.value);
}

void Applier::note_requeue(const Job& job) {
  if (!job.array_id || !cluster.jobs.contains(job.array_id)) return;
  const bool had_ended = is_ended(job.state);
  ArrayExits& exits = cluster.jobs.edit(job.array_id).array_exits;
  exits.requeued = true;
  if (had_ended && exits.ended > 0) --exits.ended;
}

void Applier::operator()(const JobSuspended& e) {
  Job& job = cluster.jobs.edit(e.job);
  if (e.resumed) {
    job.state = JobState::running;
    job.suspended_total += e.at - job.suspended_at;
    if (job.preemption && !job.awaits_turn && job.suspended_at >= job.preemption->since)
      job.preemption->kill_at += e.at - job.suspended_at;
    job.suspended_at = Time{};
    job.turn_since = e.at;
    for (NodeShare& share : job.allocation) take_back_cpus(cluster, share);
  } else {
    job.state = JobState::suspended;
    job.suspended_at = e.at;
    if (!e.by_turn)
      for (NodeShare& share : job.allocation) lend_cpus(cluster, job, share);
  }
  job.awaits_turn = e.by_turn && !e.resumed;
}

void Applier::operator()(const JobPrepared& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  job.preparing = false;
  if (is_set(e.at)) job.started = e.at;
}

void Applier::operator()(const EpilogOwed& e) { cluster.owed_epilogs.edit().push_back(e.epilog); }

void Applier::operator()(const EpilogEnded& e) {
  std::erase_if(cluster.owed_epilogs.edit(), [&](const OwedEpilog& owed) {
    return owed.job == e.job && owed.attempt == e.attempt;
  });
}

void Applier::operator()(const StepCreated& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.steps[e.step.id] = e.step;
  job.queued_steps.erase(e.step.id);
  if (is_numbered(e.step.id)) job.next_step = std::max(job.next_step, e.step.id.value + 1);
}

void Applier::operator()(const StepQueued& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.queued_steps[e.step.id] = e.step;
  job.next_step = std::max(job.next_step, e.step.id.value + 1);
}

void Applier::operator()(const StepDequeued& e) {
  cluster.jobs.edit(e.job).queued_steps.erase(e.step);
}

void Applier::operator()(const StepLimitChanged& e) {
  Job& job = cluster.jobs.edit(e.job);
  for (StepId id : e.steps)
    for (auto* steps : {&job.steps, &job.queued_steps})
      if (auto step = steps->find(id); step != steps->end()) step->second.time_limit = e.time_limit;
}

void Applier::operator()(const StepNodeEnded& e) {
  Job& job = cluster.jobs.edit(e.job);
  CHECK(job.attempt == e.attempt);
  Step& step = job.steps.at(e.step);
  step = with_end(std::move(step), e);
  if (!is_ended(step.state)) return;
  if (e.step == kBatchStep) job.batch_done = true;
  if (stays_after_its_end(e.step)) return;
  // Of what ended by itself: that the job's end took its steps along tells nothing, unless the job
  // is there for its step alone.
  if (!job.ending || job.spec->for_own_step)
    job.derived_exit_status = std::max(job.derived_exit_status, step.exit_status);
  job.out_of_memory |= step.out_of_memory;
  job.steps.erase(e.step);
}

void Applier::operator()(const JobPreempted& e) {
  Job& job = cluster.jobs.edit(e.job);
  job.preemption = e.preemption;
  job.preempted_by = e.preemption.by;
}

}  // namespace muster
