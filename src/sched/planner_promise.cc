// Jobs that do not fit now: preempts others for them or promises them a time, and says why they
// wait.
#include "sched/planner.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "sched/preempt/preempt.h"
#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

constexpr int kTasksPromised = 10;  // per array

// For --gpus with several types: the job can use a node only while the node has at least one GPU of
// each type. So a promise keeps one of each type there.
NodeShare with_one_of_each(NodeShare share, const ResourceRequest& request) {
  if (request.gpus_total.size() < 2) return share;
  for (const GresRequest& wanted : request.gpus_total)
    if (std::ranges::none_of(share.gres, [&](const GresShare& g) {
          return g.name == wanted.name && g.type == wanted.type && g.count > 0;
        }))
      share.gres.push_back({.name = wanted.name, .type = wanted.type, .count = 1});
  return share;
}

}  // namespace

// The group cannot start now: preempt others for it or promise it a time, and say why it waits.
void Planner::on_blocked(const JobGroup& group, Reason reason) {
  // A job that waits because of a limit or a license does not keep other jobs from the nodes.
  if (reason == Reason::limit) {
    if (cluster_.settings().limits_stop)
      for (const GroupMember& m : group) stopped_.insert(m.shape->partition);
    return all_wait(group, reason, limit_hit_);
  }
  const bool lacks_licenses = reason == Reason::licenses;
  bool first_here = std::none_of(group.begin(), group.end(),
                                 [&](const GroupMember& m) { return someone_waits_on(*m.shape); });
  if (!can_be_promised(group)) {
    plan_.complete = false;
  } else if (!exhausted() && !has_promise(group)) {
    const bool may_preempt = !lacks_licenses || cluster_.settings().preempt.reclaim_licenses;
    if (may_preempt && preempt_for(group))
      return all_wait(group, lacks_licenses ? reason : Reason::resources);
    // If no start time can be found, nodes that the group needs are down. Other jobs need not wait.
    if (cluster_.settings().backfill && may_reserve(group))
      promise(group);
    else if (!cluster_.settings().backfill && !lacks_licenses)
      block_nodes_of(group);
  } else if (!has_promise(group)) {
    plan_.complete = false;
    if (!lacks_licenses && may_reserve(group)) block_nodes_of(group);
  }
  if (lacks_licenses) return all_wait(group, reason);
  for (const GroupMember& m : group) stand_in_line(*m.shape);
  for (const GroupMember& m : group) explain(m, first_here);
}

// Whether backfill may reserve resources for the group: NoReserve and MinPrioThreshold of its QOS,
// or else of its association, bf_min_prio_reserve, and bf_min_age_reserve.
bool Planner::may_reserve(const JobGroup& group) const {
  const GroupMember& first = group.front();
  const Settings& settings = cluster_.settings();
  if (settings.min_age_reserve > Seconds{0} &&
      now_ < std::max(first.job->eligible, first.job->submitted) + settings.min_age_reserve)
    return false;
  const Qos* qos = cluster_.find_qos(first.job->qos);
  if (qos && qos->no_promise) return false;
  std::optional<std::uint32_t> least = qos ? qos->min_priority : std::nullopt;
  if (!least)
    if (const Association* own =
            find_association(*cluster_.associations, association_of(cluster_, *first.job)))
      least = own->min_priority;
  const std::uint32_t bound = std::max(least.value_or(0), settings.min_priority_reserve);
  return bound == 0 || priorities_.priority_of(*first.job, first.shape->partition) >= bound;
}

bool Planner::can_be_promised(const JobGroup& group) {
  std::uint64_t nodes = 0;
  for (const GroupMember& m : group) {
    if (!nothing_is_free(*m.shape->partition)) return true;
    nodes += m.shape->nodes->all.size();
  }
  return may_promise_idly(nodes);
}

bool Planner::has_promise(const JobGroup& group) const {
  return promised_.contains(group.front().job->id);
}

// The nodes that such a job waits for: the required ones if these are enough, else all candidates.
const std::vector<NodeId>& Planner::waits_on(const Shape& shape) const {
  const ResourceRequest& r = shape.request;
  return r.required_nodes.size() >= r.max_nodes ? r.required_nodes : shape.nodes->all;
}

void Planner::stand_in_line(const Shape& shape) {
  if (in_line_.insert(&shape).second) lines_.insert(&waits_on(shape));
}

// Most jobs wait for all nodes of their partition, so lists are compared first. Otherwise the nodes
// are looked up one by one.
bool Planner::someone_waits_on(const Shape& shape) {
  const std::vector<NodeId>& nodes = waits_on(shape);
  if (in_line_.contains(&shape)) return true;
  if (lines_.contains(&nodes)) return !nodes.empty();
  waited_on_.resize(cluster_.next_node_id.value);
  for (const std::vector<NodeId>* line : lines_)
    if (spread_out_.insert(line).second)
      for (NodeId id : *line) waited_on_[id.value] = true;
  return std::ranges::any_of(nodes, [&](NodeId id) { return waited_on_[id.value]; });
}

void Planner::block_nodes_of(const JobGroup& group) {
  for (const GroupMember& m : group)
    for (NodeId id : waits_on(*m.shape)) profile_.block_node(id);
}

void Planner::explain(const GroupMember& member, bool first_here) {
  const Job& job = *member.job;
  const Shape& shape = *member.shape;
  const bool few_are_up = !enough_are_up(shape);
  // A job that chooses its nodes is told which of them are unavailable.
  const ResourceRequest& r = shape.request;
  std::vector<std::string> unavailable;
  for (NodeId id : r.excluded_nodes.empty() || !few_are_up ? r.required_nodes : shape.nodes->all)
    if (!profile_.available(id)) unavailable.push_back(cluster_.nodes.at(id).config.name.str());
  if (!unavailable.empty())
    return wait(job, Reason::required_node_not_available,
                "ReqNodeNotAvail, UnavailableNodes:" + compress_hostlist_sorted(unavailable));
  if (few_are_up) return wait(job, Reason::nodes_down);
  if (std::string kept = kept_by_reservations(member); !kept.empty())
    return wait(job, Reason::required_node_not_available, kept);
  wait(job, first_here ? Reason::resources : Reason::priority);
}

bool Planner::enough_are_up(const Shape& shape) const {
  std::uint32_t up = 0;
  return std::ranges::any_of(shape.nodes->all, [&](NodeId id) {
    return profile_.available(id) && ++up >= shape.request.min_nodes;
  });
}

std::string Planner::kept_by_reservations(const GroupMember& member) {
  if (!profile_.has_reservations()) return {};
  const Shape& shape = *member.shape;
  const Window window = window_of(shape, now_, member.limit);
  auto is_reserved = [&](NodeId id) { return profile_.is_reserved(id, window); };
  auto is_kept = [&](NodeId id) { return !profile_.available(id) || is_reserved(id); };
  if (std::ranges::all_of(shape.partition->nodes, is_kept))
    return "ReqNodeNotAvail, Reserved for maintenance";
  // Would the unreserved nodes suffice if no other job ran?
  const ResourceRequest& r = shape.request;
  const std::uint64_t cpus_wanted = r.overcommit ? 0 : std::uint64_t{r.tasks} * r.cpus_per_task;
  std::uint64_t nodes = 0, cpus = 0, reserved = 0;
  const bool suffice = std::ranges::any_of(shape.nodes->all, [&](NodeId id) {
    reserved += is_reserved(id);
    if (is_kept(id)) return false;
    cpus += cluster_.nodes.at(id).config.cpus;
    return ++nodes >= r.min_nodes && cpus >= cpus_wanted;
  });
  if ((reserved && !suffice) || std::ranges::any_of(r.required_nodes, is_reserved))
    return "ReqNodeNotAvail, May be reserved for other job";
  return {};
}

bool Planner::blocked_everywhere(const Partition& partition) {
  if (profile_.blocked_count() == 0) return false;
  auto [at, fresh] = fully_blocked_.try_emplace(&partition, std::pair{std::size_t{0}, false});
  auto& [blocked_then, all] = at->second;
  if (blocked_then == profile_.blocked_count()) return all;
  blocked_then = profile_.blocked_count();
  all = std::none_of(partition.nodes.begin(), partition.nodes.end(),
                     [&](NodeId id) { return profile_.is_open(id); });
  return all;
}

// Promises the group the earliest time at which all of it fits, and keeps the resources for it.
void Planner::promise(const JobGroup& group) {
  const Job& job = *group.front().job;
  std::size_t wanted = 1;
  if (job.is_array_record()) {
    const std::uint64_t left = job.waiting_tasks.size() - started_tasks_[job.id].size();
    wanted = std::min<std::size_t>(left, kTasksPromised);
  }
  // Earlier groups with the same shapes have taken all earlier times.
  Time& from = not_before_.try_emplace(shape_keys_of(group), now_).first->second;
  for (std::size_t i = 0; i < wanted && !exhausted(); ++i) {
    auto slot = earliest_slot(group, from);
    if (!slot) return;
    from = slot->at;
    keep(group, *slot, slot->at);
  }
}

// The earliest time with enough nodes and licenses, and within all limits.
std::optional<GroupSlot> Planner::earliest_slot(const JobGroup& group, Time from) {
  const auto licenses = licenses_of(group);
  while (!exhausted()) {
    if (!has_licenses(group, from)) {
      auto later = licenses_.next_release(licenses, from);
      if (!later) return std::nullopt;
      from = *later;
      continue;
    }
    auto slot = earliest_together(cluster_, group, from, profile_, budget_.max_probes);
    if (!slot) return std::nullopt;
    from = slot->at;
    if (!has_licenses(group, from)) continue;
    auto later = limit_until(group, *slot);
    if (!later) return slot;
    if (*later == Time::max()) return std::nullopt;
    from = *later;
  }
  return std::nullopt;
}

// If a limit forbids the slot: the next time to try, or Time::max() if there is none.
std::optional<Time> Planner::limit_until(const JobGroup& group, const GroupSlot& slot) const {
  auto forbidden = [&](const LimitBook& book, const PlannedRun& run) -> std::optional<Time> {
    if (book.exceeded_at(run, slot.at).empty()) return std::nullopt;
    return limits_.next_release(run, slot.at).value_or(Time::max());
  };
  if (group.size() == 1) return forbidden(limits_, run_of(group[0], slot.shares[0]));
  LimitBook together = limits_;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const PlannedRun run = run_of(group[i], slot.shares[i]);
    if (auto until = forbidden(together, run)) return until;
    together.promise(run, slot.at);
  }
  return std::nullopt;
}

// Keeps the slot's resources for the group from the slot's time on. `at` is the expected start that
// users see.
void Planner::keep(const JobGroup& group, const GroupSlot& slot, Time at) {
  for (std::size_t i = 0; i < group.size(); ++i) {
    const GroupMember& m = group[i];
    Window window = window_of(*m.shape, slot.at, m.limit);
    licenses_.use(m.shape->request.licenses, span_of(m, slot.at));
    limits_.promise(run_of(m, slot.shares[i]), slot.at);
    Expected expected{.job = m.job->id, .at = at};
    for (const NodeShare& share : slot.shares[i]) {
      profile_.promise(with_one_of_each(share, m.shape->request), window);
      expected.nodes.push_back(share.node);
      expected.cpus += static_cast<std::uint32_t>(share.cpus.size());
    }
    if (promised_.insert(m.job->id).second) plan_.expected.push_back(std::move(expected));
  }
}

bool Planner::preemption_allowed(const JobGroup& group) const {
  return !what_if_.no_preemption && !what_if_.no_preemption_for.contains(group.front().job->id);
}

// Preempts jobs of lower rank; the group gets their resources when they have left. Nothing is
// preempted if a limit would keep the group waiting anyway.
bool Planner::preempt_for(const JobGroup& group) {
  if (!preemption_allowed(group)) return false;
  auto opening = preemptor_.find_by_evicting(group);
  if (!opening || !limit_exceeded_by(group, opening->slot).empty()) return false;
  preemptor_.commit_eviction(opening->victims, *group.front().job);
  for (JobId id : opening->victims)
    plan_.evictions.push_back(
        {id, group.front().job->id, preempt_mode(cluster_, cluster_.jobs.at(id))});
  keep(group, opening->slot, preemptor_.free_from(*opening));
  return true;
}

}  // namespace muster::sched
