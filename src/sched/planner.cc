// Who is looked at, and in which order.
#include "sched/planner.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::sched {

Plan Planner::run() {
  Queue& queue = memory_.queue;
  queue.follow(cluster_, priorities_, now_, budget_.thorough || budget_.order_changed,
               budget_.tells_of_deferred);
  for (const Start& start : what_if_.started) repeat(start);
  queue.each(cluster_, [&](const Queue::Place& place) {
    if (!budget_.thorough && nobody_can_start()) {
      plan_.complete = false;
      return false;
    }
    const Job& job = cluster_.jobs.at(place.job);
    accruals_.look_at(job);
    for (const Reservation* reservation : choices(cluster_, job, now_))
      if (!settled_.contains(place.job))
        consider(job, {partition_at(place.partition), reservation});
    return true;
  });
  tell_of_deferred();
  finish();
  return std::move(plan_);
}

// Nobody has looked at them. Who asks why one of them waits can tell by its record (gate).
void Planner::tell_of_deferred() {
  const Deferred& deferred = memory_.queue.deferred();
  deferred.hopeless().each([&](std::uint32_t id) { plan_.hopeless.emplace_back(id); });
  if (deferred.has_limited()) plan_.complete = false;
  if (!budget_.tells_of_deferred) return;
  for (JobId id : deferred.ids()) {
    const Job& job = cluster_.jobs.at(id);
    wait(job, gate(cluster_, job, venue_of(job, split(job.partition, ',').front()), now_).reason);
  }
}

const Partition* Planner::partition_at(std::uint32_t place) const {
  return place == Queue::kNoPartition ? nullptr : &(*cluster_.partitions)[place];
}

// Nobody behind could start either, and what may be asked to tell them when has been asked.
bool Planner::nobody_can_start() {
  if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
  if (exhausted()) return true;
  return std::ranges::all_of(*cluster_.partitions, [&](const Partition& p) {
    return p.nodes.empty() || (!may_promise_idly(p.nodes.size()) && nothing_is_free(p));
  });
}

// Where nothing is free a promise keeps nobody from starting: it may be left for a better time.
bool Planner::may_promise_idly(std::uint64_t nodes) const {
  return profile_.questions() + nodes <= budget_.max_idle_questions;
}

// Nor can anybody else be made to go.
bool Planner::nothing_is_free(const Partition& partition) {
  if (cluster_.settings().preempt.type != PreemptType::none || partition.sharing(true) > 1)
    return false;
  const std::vector<NodeId>& roomy = memory_.nodes.nodes_of(cluster_, partition).roomy;
  std::size_t& next = first_free_[&partition];
  while (next < roomy.size() && !profile_.has_free_cpus(roomy[next])) ++next;
  return next == roomy.size();
}

// A job with several partitions may have waited in one and started in another.
void Planner::finish() {
  plan_.accruing = accruals_.take();
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

void Planner::all_wait(const Members& members, Reason reason, const Text& detail) {
  for (const Member& m : members) wait(*m.job, reason, detail);
}

bool Planner::exhausted() const {
  return plan_.starts.size() >= budget_.max_starts || profile_.questions() >= budget_.max_questions;
}

void Planner::consider(const Job& job, const Venue& venue) {
  if (!job.leads()) return;  // its first component brings it along
  Members members;
  if (!admit(job, venue, members)) return others_wait_for(job);
  if (job.is_het())
    for (const Job* other : cluster_.components(job))
      if (other != &job && !admit_in_some_partition(*other, members))
        return others_wait_for(*other);
  if (job.is_array_record()) return consider_tasks(job, *members.front().shape);
  if (is_throttled(job)) return wait(job, Reason::array_task_limit);
  Reason reason = try_together(members, std::nullopt);
  if (reason != Reason::none) blocked(members, reason);
}

// May it be placed in this partition? Why not is told.
bool Planner::admit(const Job& job, const Venue& venue, Members& members) {
  Gate g = gate(cluster_, job, venue, now_);
  if (g.hopeless) plan_.hopeless.push_back(job.id);
  if (g.reason != Reason::none) {
    wait(job, g.reason);
    return false;
  }
  if (settles(*venue.partition)) {
    wait(job, Reason::resources);
    return false;
  }
  if (exhausted() || stopped_.contains(venue.partition) || blocked_everywhere(*venue.partition)) {
    if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
    plan_.complete = false;
    wait(job, Reason::priority);
    return false;
  }
  const Shape& shape = shapes_.of(job, venue);
  if (shape.impossible != Reason::none) {
    wait(job, shape.impossible);
    return false;
  }
  members.push_back({&job, &shape, limit_of(job, shape)});
  return true;
}

bool Planner::settles(const Partition& partition) {
  if (cluster_.settings().complete_wait == Seconds{0}) return false;
  if (!settling_) settling_ = settling_partitions(cluster_, now_);
  return settling_->contains(partition.name);
}

bool Planner::admit_in_some_partition(const Job& component, Members& members) {
  auto names = split(component.partition, ',');
  return std::any_of(names.begin(), names.end(), [&](std::string_view name) {
    return admit(component, venue_of(component, name), members);
  });
}

Venue Planner::venue_of(const Job& job, std::string_view partition) const {
  return {cluster_.find_partition(partition), choices(cluster_, job, now_).front()};
}

// What keeps one component back keeps them all; some have reasons of their own, and a time that has
// not come is everybody's.
void Planner::others_wait_for(const Job& kept_back) {
  if (!kept_back.is_het()) return;
  auto own_reason = [&](const Job& job) {
    return gate(cluster_, job, venue_of(job, split(job.partition, ',').front()), now_).reason;
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
  waiting.subtract(started_tasks_[record.id]);  // elsewhere, by this plan
  for (std::uint32_t task : waiting.first(budget_.max_starts).ids()) {
    if (is_throttled(record)) {
      settled_.erase(record.id);
      return wait(record, Reason::array_task_limit);
    }
    if (one_by_one && !task_may_run(cluster_, record, task, now_)) {
      some_wait = true;
      continue;
    }
    Members member{{&record, &shape, limit_of(record, shape)}};
    Reason reason = try_together(member, task);
    if (reason != Reason::none) {
      settled_.erase(record.id);
      return blocked(member, reason);
    }
  }
  bool more = waiting.size() > budget_.max_starts;
  if (!more && !some_wait) return;
  settled_.erase(record.id);
  if (more) plan_.more_starts = true;
  wait(record, some_wait ? Reason::dependency : Reason::none);
}

// As many tasks of its array run as may. That goes for a task with a record of its own, too: one
// that was released, changed or requeued.
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
