// Walks through the queue: which jobs are considered, in which order, and where the walk ends.
#include "sched/planner.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::sched {

Plan Planner::run() {
  Queue& queue = cache_.queue;
  queue.update_to(cluster_, priorities_, now_, budget_.thorough || budget_.order_changed,
                  budget_.explains_deferred);
  for (const Start& start : what_if_.started) repeat(start);
  plan_.work.queued = static_cast<std::uint32_t>(queue.size());
  queue.visit_in_order(cluster_, [&](const Queue::Entry& entry) {
    if (!budget_.thorough && nobody_can_start()) {
      plan_.complete = false;
      return false;
    }
    const Job& job = cluster_.jobs.at(entry.job);
    ++plan_.work.examined;
    accruals_.look_at(job);
    for (const Reservation* reservation : reservation_choices(cluster_, job, now_))
      if (!settled_.contains(entry.job))
        consider(job, {partition_at(entry.partition), reservation});
    return true;
  });
  explain_deferred();
  finish();
  return std::move(plan_);
}

// Deferred jobs are not examined. Why one of them waits follows from its record alone (gate).
void Planner::explain_deferred() {
  const Deferred& deferred = cache_.queue.deferred();
  deferred.hopeless().each([&](std::uint32_t id) { plan_.hopeless.emplace_back(id); });
  plan_.limits_met = deferred.limits_met();
  if (!budget_.explains_deferred) return;
  for (JobId id : deferred.ids()) {
    const Job& job = cluster_.jobs.at(id);
    wait(job, gate(cluster_, job, target_for(job, cluster_.partition_of(job)), now_).reason);
  }
}

const Partition* Planner::partition_at(std::uint32_t place) const {
  return place == Queue::kNoPartition ? nullptr : &(*cluster_.partitions)[place];
}

// No later job can start, and the probes for promising start times are spent.
bool Planner::nobody_can_start() {
  if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
  if (exhausted()) return true;
  return std::ranges::all_of(*cluster_.partitions, [&](const Partition& p) {
    return p.nodes.empty() || (!may_promise_idly(p.nodes.size()) && nothing_is_free(p));
  });
}

// On a full cluster a promise keeps no other job from starting, so it can wait for a later plan.
bool Planner::may_promise_idly(std::uint64_t nodes) const {
  return profile_.probes() + nodes <= budget_.max_probes_when_full;
}

// No CPU of the partition is free, and none can be had by preemption or sharing.
bool Planner::nothing_is_free(const Partition& partition) {
  if (cluster_.settings().preempt.type != PreemptType::none || partition.sharing(true) > 1)
    return false;
  const std::vector<NodeId>& roomy = cache_.nodes.nodes_of(cluster_, partition).roomy;
  std::size_t& next = first_free_[&partition];
  while (next < roomy.size() && !profile_.has_free_cpus(roomy[next])) ++next;
  return next == roomy.size();
}

// A job with several partitions may have waited in one and started in another.
void Planner::finish() {
  plan_.accruing = accruals_.take();
  plan_.work.promised = static_cast<std::uint32_t>(plan_.expected.size());
  std::ranges::sort(plan_.hopeless);
  plan_.hopeless.erase(std::ranges::unique(plan_.hopeless).begin(), plan_.hopeless.end());
  auto by_job = [](const auto& a, const auto& b) { return a.job < b.job; };
  std::stable_sort(plan_.waits.begin(), plan_.waits.end(), by_job);
  auto same = [](const Wait& a, const Wait& b) { return a.job == b.job; };
  plan_.waits.erase(std::unique(plan_.waits.begin(), plan_.waits.end(), same), plan_.waits.end());
  std::erase_if(plan_.waits, [&](const Wait& w) { return settled_.contains(w.job); });
  std::stable_sort(plan_.expected.begin(), plan_.expected.end(), by_job);
  std::erase_if(plan_.expected, [&](const Expected& e) { return settled_.contains(e.job); });
}

void Planner::wait(const Job& job, Reason reason, Text detail) {
  plan_.waits.push_back({job.id, reason, std::move(detail)});
}

void Planner::all_wait(const JobGroup& group, Reason reason, const Text& detail) {
  for (const GroupMember& m : group) wait(*m.job, reason, detail);
}

bool Planner::exhausted() const {
  return plan_.starts.size() >= budget_.max_starts || profile_.probes() >= budget_.max_probes;
}

void Planner::consider(const Job& job, const StartTarget& target) {
  if (!job.leads()) return;  // its first component brings it along
  JobGroup group;
  if (!admit(job, target, group)) return others_wait_for(job);
  if (job.is_het())
    for (const Job* other : cluster_.components(job))
      if (other != &job && !admit_in_some_partition(*other, group)) return others_wait_for(*other);
  ++plan_.work.tried;
  if (job.is_array_record()) return consider_tasks(job, *group.front().shape);
  if (is_throttled(job)) return wait(job, Reason::array_task_limit);
  Reason reason = try_together(group, std::nullopt);
  if (reason != Reason::none) on_blocked(group, reason);
}

// Adds the job to the group if it may be placed in this partition. Otherwise notes why it waits.
bool Planner::admit(const Job& job, const StartTarget& target, JobGroup& group) {
  Gate g = gate(cluster_, job, target, now_);
  if (g.hopeless) plan_.hopeless.push_back(job.id);
  if (g.reason != Reason::none) {
    wait(job, g.reason);
    return false;
  }
  if (const Permission& p = permissions_.of(job, *target.partition); p.reason != Reason::none) {
    wait(job, p.reason, p.detail);
    return false;
  }
  if (waits_for_completing_jobs(*target.partition)) {
    wait(job, Reason::resources);
    return false;
  }
  if (exhausted() || stopped_.contains(target.partition) || blocked_everywhere(*target.partition)) {
    if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
    plan_.complete = false;
    wait(job, Reason::priority);
    return false;
  }
  const Shape& shape = shapes_.shape_for(job, target);
  if (shape.impossible != Reason::none) {
    wait(job, shape.impossible);
    return false;
  }
  group.push_back({&job, &shape, limit_of(job, shape)});
  return true;
}

bool Planner::waits_for_completing_jobs(const Partition& partition) {
  if (cluster_.settings().complete_wait == Seconds{0}) return false;
  if (!completing_partitions_) completing_partitions_ = completing_partitions(cluster_, now_);
  return completing_partitions_->contains(partition.name);
}

bool Planner::admit_in_some_partition(const Job& component, JobGroup& group) {
  return std::ranges::any_of(component.partitions.parsed(), [&](const Text& name) {
    return admit(component, target_for(component, cluster_.find_partition(name)), group);
  });
}

StartTarget Planner::target_for(const Job& job, const Partition* partition) const {
  return {partition, reservation_choices(cluster_, job, now_).front()};
}

// One component that cannot start keeps all others waiting. A component with a reason of its own
// shows that one. A begin time in the future is the reason of all of them.
void Planner::others_wait_for(const Job& kept_back) {
  if (!kept_back.is_het()) return;
  auto own_reason = [&](const Job& job) {
    return gate(cluster_, job, target_for(job, cluster_.partition_of(job)), now_).reason;
  };
  const bool too_early = own_reason(kept_back) == Reason::begin_time;
  for (const Job* component : cluster_.components(kept_back)) {
    if (component == &kept_back) continue;
    const Reason own = own_reason(*component);
    const Reason shared = too_early ? Reason::begin_time : Reason::resources;
    wait(*component, own == Reason::none ? shared : own);
  }
}

void Planner::consider_tasks(const Job& record, const Shape& shape) {
  bool one_by_one = asks_task_by_task(record);
  bool some_wait = false;
  IdSet waiting = record.waiting_tasks;
  waiting.subtract(started_tasks_[record.id]);  // by this plan, in another partition
  for (std::uint32_t task : waiting.first(budget_.max_starts).ids()) {
    if (is_throttled(record)) {
      settled_.erase(record.id);
      return wait(record, Reason::array_task_limit);
    }
    if (one_by_one && !task_may_run(cluster_, record, task, now_)) {
      some_wait = true;
      continue;
    }
    JobGroup member{{&record, &shape, limit_of(record, shape)}};
    Reason reason = try_together(member, task);
    if (reason != Reason::none) {
      settled_.erase(record.id);
      return on_blocked(member, reason);
    }
  }
  bool more = waiting.size() > budget_.max_starts;
  if (!more && !some_wait) return;
  settled_.erase(record.id);
  if (more) plan_.more_starts = true;
  wait(record, some_wait ? Reason::dependency : Reason::none);
}

// The array's limit of running tasks is reached (--array=...%N). The limit also holds for tasks
// that have records of their own because they were released, changed or requeued.
bool Planner::is_throttled(const Job& record) {
  if (!record.array_id || !record.task_limit) return false;
  if (!running_tasks_) {
    running_tasks_.emplace();
    for (std::uint32_t id : cluster_.active.ids()) {
      const Job& job = cluster_.jobs.at(JobId{id});
      if (job.array_id && is_active(job.state)) ++(*running_tasks_)[job.array_id];
    }
    for (const Start& s : plan_.starts)
      if (JobId array = cluster_.jobs.at(s.job).array_id) ++(*running_tasks_)[array];
  }
  return (*running_tasks_)[record.array_id] >= record.task_limit;
}

}  // namespace muster::sched
