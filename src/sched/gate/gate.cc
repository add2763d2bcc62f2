// Holds, begin times, dependencies, deadlines, and the limits of the partition and the reservation.
#include "sched/gate/gate.h"

#include <algorithm>

#include "base/text/duration.h"
#include "sched/gate/dependency.h"
#include "sched/request/loosened.h"
#include "sched/request/time_limit.h"

namespace muster::sched {

namespace {

bool corresponds(const Dependencies& d) {
  return std::any_of(d.conditions.begin(), d.conditions.end(),
                     [](const Condition& c) { return c.kind == DependencyKind::after_corr; });
}

Gate dependency_gate(const Cluster& cluster, const Job& job, Time now) {
  const auto& dependencies = job.own.dependency.parsed();
  if (!dependencies) return {Reason::bad_constraints};
  if (job.is_array_record() && corresponds(*dependencies)) {  // each task waits for itself
    bool hopeless = std::ranges::all_of(job.waiting_tasks.ids(), [&](std::uint32_t task) {
      return fulfilment(cluster, job, *dependencies, task, now) == Fulfilment::never;
    });
    return hopeless ? Gate{Reason::dependency_never_satisfied, true} : Gate{};
  }
  switch (fulfilment(cluster, job, *dependencies, std::nullopt, now)) {
    case Fulfilment::met:
      return {};
    case Fulfilment::waiting:
      return {Reason::dependency};
    case Fulfilment::never:
      return {Reason::dependency_never_satisfied, true};
  }
  return {};
}

Gate reservation_gate(const Reservation* reservation, Time now) {
  if (!reservation) return {Reason::reservation_deleted};
  if (reservation->has("FLEX")) return {};
  if (reservation->end_seen(now) <= now) return {Reason::reservation_deleted};
  if (reservation->start_seen(now) > now) return {Reason::reservation};
  return {};
}

}  // namespace

bool is_eligible(const Cluster& cluster, const Job& job, Time now) {
  if (job.hold != Hold::none || job.eligible > now) return false;
  return job.own.dependency.empty() || dependency_gate(cluster, job, now).reason == Reason::none;
}

bool is_hopeless(const Cluster& cluster, const Job& job, Time now) {
  return job.hold == Hold::none && !job.own.dependency.empty() &&
         dependency_gate(cluster, job, now).hopeless;
}

bool misses_deadline(const Job& job, Time now) {
  if (!is_set(job.spec->deadline)) return false;
  const Minutes least =
      job.spec->time_min.value_or(job.time_limit == kUnlimited ? Minutes{1} : job.time_limit);
  return now + least > job.spec->deadline;
}

namespace {

// A preempted job that outranks its preemptor must not take its nodes back at once. It waits up to
// two minutes so that the preemptor starts first.
bool gives_way(const Cluster& cluster, const Job& job, Time now) {
  constexpr Minutes kWhile{2};
  if (!job.preempted_by || now >= job.eligible + kWhile) return false;
  const Job* other = cluster.jobs.find(job.preempted_by);
  return other && other->state == JobState::pending && is_eligible(cluster, *other, now);
}

}  // namespace

Gate gate(const Cluster& cluster, const Job& job, const StartTarget& target, Time now) {
  const Partition* partition = target.partition;
  if (job.hold != Hold::none) return {job.held_by_user() ? Reason::held_user : Reason::held_admin};
  if (!partition || partition->state == PartitionState::inactive)
    return {Reason::partition_inactive};
  if (!job.own.dependency.empty())
    if (Gate g = dependency_gate(cluster, job, now); g.reason != Reason::none) return g;
  if (job.eligible > now) return {Reason::begin_time};
  if (partition->state == PartitionState::down) return {Reason::partition_down};
  if (misses_deadline(job, now)) return {Reason::deadline};
  if (gives_way(cluster, job, now)) return {Reason::priority};
  if (partition->max_time && !job.spec->time_limit_granted && !may_exceed_time(cluster, job.qos)) {
    const Minutes asked = limit_in(cluster, job, *partition);
    if (std::min(job.spec->time_min.value_or(asked), asked) > *partition->max_time)
      return {Reason::partition_time_limit};
  }
  if (partition->max_nodes && job.spec->min_nodes > *partition->max_nodes &&
      !may_exceed_nodes(cluster, job.qos))
    return {Reason::partition_node_limit};
  if (job.spec->min_nodes > partition->nodes.size()) return {Reason::partition_too_small};
  if (!job.spec->reservation.empty()) return reservation_gate(target.reservation, now);
  return {};
}

std::set<Text> completing_partitions(const Cluster& cluster, Time now) {
  const Settings& settings = cluster.settings();
  std::set<NodeId> unsettled;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (!job.completing() || now - job.over_since() >= settings.complete_wait) continue;
    if (const Partition* partition = cluster.partition_of(job))
      unsettled.insert(partition->nodes.begin(), partition->nodes.end());
  }
  std::set<Text> names;
  for (const Partition& partition : *cluster.partitions)
    if (!unsettled.empty() &&
        (!settings.settles_by_partition || std::ranges::any_of(partition.nodes, [&](NodeId node) {
          return unsettled.contains(node);
        })))
      names.insert(partition.name);
  return names;
}

bool asks_task_by_task(const Job& record) {
  if (!record.is_array_record() || record.own.dependency.empty()) return false;
  const auto& dependencies = record.own.dependency.parsed();
  return dependencies && corresponds(*dependencies);
}

bool task_may_run(const Cluster& cluster, const Job& record, std::uint32_t task, Time now) {
  const auto& dependencies = record.own.dependency.parsed();
  return dependencies && fulfilment(cluster, record, *dependencies, task, now) == Fulfilment::met;
}

}  // namespace muster::sched
