// What does not fit now: room is made for it, or a time promised, and the reason told.
#include "sched/planner.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "sched/preempt/preempt.h"
#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

constexpr int kTasksPromised = 10;  // of one array

// GPUs of several types that are counted over the whole job: a node is of use to it only as long as
// it has one of each, whichever it gives.
NodeShare with_one_of_each(NodeShare share, const Request& request) {
  if (request.gpus_total.size() < 2) return share;
  for (const GresRequest& wanted : request.gpus_total)
    if (std::ranges::none_of(share.gres, [&](const GresShare& g) {
          return g.name == wanted.name && g.type == wanted.type && g.count > 0;
        }))
      share.gres.push_back({.name = wanted.name, .type = wanted.type, .count = 1});
  return share;
}

}  // namespace

// They cannot start now: make room for them, promise them a time, and say why they wait.
void Planner::blocked(const Members& members, Reason reason) {
  // Nobody stands in line behind a job that its own limits keep back, or the licenses it lacks.
  if (reason == Reason::limit) {
    if (cluster_.settings().limits_stop)
      for (const Member& m : members) stopped_.insert(m.shape->partition);
    return all_wait(members, reason, limit_hit_);
  }
  const bool lacks_licenses = reason == Reason::licenses;
  bool first_here = std::none_of(members.begin(), members.end(),
                                 [&](const Member& m) { return someone_waits_on(*m.shape); });
  if (!can_be_promised(members)) {
    plan_.complete = false;
  } else if (!exhausted() && !has_promise(members)) {
    const bool may_preempt = !lacks_licenses || cluster_.settings().preempt.reclaim_licenses;
    if (may_preempt && preempt_for(members))
      return all_wait(members, lacks_licenses ? reason : Reason::resources);
    // Where no time is known the nodes they lack are down: others need not wait for that.
    if (cluster_.settings().backfill && may_reserve(members))
      promise(members);
    else if (!cluster_.settings().backfill && !lacks_licenses)
      bar(members);
  } else if (!has_promise(members)) {
    plan_.complete = false;
    if (!lacks_licenses && may_reserve(members)) bar(members);
  }
  if (lacks_licenses) return all_wait(members, reason);
  for (const Member& m : members) stand_in_line(*m.shape);
  for (const Member& m : members) explain(m, first_here);
}

// MinPrioThreshold of its QOS or else of its association, bf_min_prio_reserve, and
// bf_min_age_reserve.
bool Planner::may_reserve(const Members& members) const {
  const Member& first = members.front();
  const Settings& settings = cluster_.settings();
  if (settings.min_age_reserve > Seconds{0} &&
      now_ < std::max(first.job->eligible, first.job->submitted) + settings.min_age_reserve)
    return false;
  const Qos* qos = cluster_.find_qos(first.job->qos);
  std::optional<std::uint32_t> least = qos ? qos->min_priority : std::nullopt;
  if (!least)
    if (const Association* own =
            find_association(*cluster_.associations, association_of(cluster_, *first.job)))
      least = own->min_priority;
  const std::uint32_t bound = std::max(least.value_or(0), settings.min_priority_reserve);
  return bound == 0 || priorities_.of(*first.job, first.shape->partition) >= bound;
}

bool Planner::can_be_promised(const Members& members) {
  std::uint64_t nodes = 0;
  for (const Member& m : members) {
    if (!nothing_is_free(*m.shape->partition)) return true;
    nodes += m.shape->nodes->all.size();
  }
  return may_promise_idly(nodes);
}

bool Planner::has_promise(const Members& members) const {
  return promised_.contains(members.front().job->id);
}

// The nodes it stands in line for: those it names, or all that would do.
const std::vector<NodeId>& Planner::waits_on(const Shape& shape) const {
  const Request& r = shape.request;
  return r.required_nodes.size() >= r.max_nodes ? r.required_nodes : shape.nodes->all;
}

void Planner::stand_in_line(const Shape& shape) {
  if (in_line_.insert(&shape).second) lines_.insert(&waits_on(shape));
}

// Mostly for all nodes of the partition, as everybody else: otherwise one by one.
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

void Planner::bar(const Members& members) {
  for (const Member& m : members)
    for (NodeId id : waits_on(*m.shape)) profile_.bar(id);
}

void Planner::explain(const Member& member, bool first_here) {
  const Job& job = *member.job;
  const Shape& shape = *member.shape;
  const bool few_are_up = !enough_are_up(shape);
  // Where the job says which nodes, it hears which of these are missing.
  const Request& r = shape.request;
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

std::string Planner::kept_by_reservations(const Member& member) {
  if (!profile_.has_reservations()) return {};
  const Shape& shape = *member.shape;
  const Window window = window_of(shape, now_, member.limit);
  auto is_reserved = [&](NodeId id) { return profile_.is_reserved(id, window); };
  auto is_kept = [&](NodeId id) { return !profile_.available(id) || is_reserved(id); };
  if (std::ranges::all_of(shape.partition->nodes, is_kept))
    return "ReqNodeNotAvail, Reserved for maintenance";
  // Were all other jobs gone, would the nodes suffice that nobody has reserved?
  const Request& r = shape.request;
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
  if (profile_.barred() == 0) return false;
  auto [at, fresh] = fully_barred_.try_emplace(&partition, std::pair{std::size_t{0}, false});
  auto& [barred_then, all] = at->second;
  if (barred_then == profile_.barred()) return all;
  barred_then = profile_.barred();
  all = std::none_of(partition.nodes.begin(), partition.nodes.end(),
                     [&](NodeId id) { return profile_.is_open(id); });
  return all;
}

// They get the earliest time from which all fit for as long as they run, and their part is kept.
void Planner::promise(const Members& members) {
  const Job& job = *members.front().job;
  std::size_t wanted = 1;
  if (job.is_array_record()) {
    const std::uint64_t left = job.waiting_tasks.size() - started_tasks_[job.id].size();
    wanted = std::min<std::size_t>(left, kTasksPromised);
  }
  // Those of the same form before them have all that is earlier.
  Time& from = not_before_.try_emplace(form_of(members), now_).first->second;
  for (std::size_t i = 0; i < wanted && !exhausted(); ++i) {
    auto slot = earliest_slot(members, from);
    if (!slot) return;
    from = slot->at;
    keep(members, *slot, slot->at);
  }
}

// With nodes and licenses, and within its limits.
std::optional<JointSlot> Planner::earliest_slot(const Members& members, Time from) {
  const auto licenses = licenses_of(members);
  while (!exhausted()) {
    if (!has_licenses(members, from)) {
      auto later = licenses_.next_release(licenses, from);
      if (!later) return std::nullopt;
      from = *later;
      continue;
    }
    auto slot = earliest_together(cluster_, members, from, profile_, budget_.max_questions);
    if (!slot) return std::nullopt;
    from = slot->at;
    if (!has_licenses(members, from)) continue;
    auto later = limit_until(members, *slot);
    if (!later) return slot;
    if (*later == Time::max()) return std::nullopt;
    from = *later;
  }
  return std::nullopt;
}

// Where a limit forbids them that time: the next one to try; Time::max() where there is none.
std::optional<Time> Planner::limit_until(const Members& members, const JointSlot& slot) const {
  auto forbidden = [&](const LimitBook& book, const PlannedRun& run) -> std::optional<Time> {
    if (book.in_the_way_at(run, slot.at).empty()) return std::nullopt;
    return limits_.next_release(run, slot.at).value_or(Time::max());
  };
  if (members.size() == 1) return forbidden(limits_, run_of(members[0], slot.shares[0]));
  LimitBook together = limits_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const PlannedRun run = run_of(members[i], slot.shares[i]);
    if (auto until = forbidden(together, run)) return until;
    together.promise(run, slot.at);
  }
  return std::nullopt;
}

// What they have is theirs for a run from the slot's time on; `at` is what they are told.
void Planner::keep(const Members& members, const JointSlot& slot, Time at) {
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& m = members[i];
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

bool Planner::may_displace(const Members& members) const {
  return !what_if_.all_stay && !what_if_.displace_nobody.contains(members.front().job->id);
}

// Running jobs of lower standing go, and they get their place when these have gone; not where a
// limit would keep them back all the same.
bool Planner::preempt_for(const Members& members) {
  if (!may_displace(members)) return false;
  auto room = rooms_.vacated(members);
  if (!room || !limit_in_the_way(members, room->slot).empty()) return false;
  rooms_.evict(room->victims, *members.front().job);
  for (JobId id : room->victims)
    plan_.evictions.push_back(
        {id, members.front().job->id, preempt_mode(cluster_, cluster_.jobs.at(id))});
  keep(members, room->slot, rooms_.vacant_at(*room));
  return true;
}

}  // namespace muster::sched
