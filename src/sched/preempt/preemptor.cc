// Searches victims on trial profiles.
#include "sched/preempt/preemptor.h"

#include <algorithm>

#include "sched/preempt/preempt.h"
#include "sched/request/request.h"

namespace muster::sched {

namespace {

bool overlap(const std::vector<NodeShare>& a, const std::vector<NodeShare>& b) {
  return std::ranges::any_of(a, [&](const NodeShare& x) {
    return std::ranges::any_of(
        b, [&](const NodeShare& y) { return x.node == y.node && x.cpus.intersects(y.cpus); });
  });
}

LicenseBook::Counts licenses_held(const Cluster& cluster, JobId id) {
  LicenseBook::Counts held;
  for (const auto& [name, count] : licenses_in(cluster.jobs.at(id).spec->licenses))
    held[name] += count;
  return held;
}

}  // namespace

bool Preemptor::is_leaving(const Job& job) const {
  return job.run->ending || job.run->preemption || is_ended(job.state) || evicted_.contains(job.id);
}

bool Preemptor::is_suspended(JobId id) const {
  return cluster_.jobs.at(id).run->awaits_turn || suspended_.contains(id);
}

Preemptor::GroupShapes Preemptor::shapes_of(const JobGroup& group) {
  GroupShapes shapes;
  for (const GroupMember& m : group) shapes.push_back(m.shape);
  return shapes;
}

// Jobs that every member may preempt, and that run on a node where a member could be placed or hold
// licenses that the group needs.
std::vector<JobId> Preemptor::preemptable_by(const JobGroup& group, bool by_suspending) const {
  std::set<NodeId> useful;
  for (const GroupMember& m : group)
    useful.insert(m.shape->nodes->all.begin(), m.shape->nodes->all.end());
  const auto licenses = licenses_of(group);
  const bool lack_some =
      !licenses.empty() && !licenses_.has(licenses, span_of(group.front(), now_));
  auto holds_some = [&](JobId id) {
    return std::ranges::any_of(licenses_held(cluster_, id),
                               [&](const auto& held) { return licenses.contains(held.first); });
  };
  std::vector<JobId> found =
      preemptable(cluster_, *group.front().job, *group.front().shape->partition, now_);
  for (auto m = group.begin() + 1; m != group.end() && !found.empty(); ++m) {
    auto also = preemptable(cluster_, *m->job, *m->shape->partition, now_);
    std::erase_if(found, [&](JobId id) { return std::ranges::find(also, id) == also.end(); });
  }
  std::erase_if(found, [&](JobId id) {
    const Job& victim = cluster_.jobs.at(id);
    bool suspends = preempt_mode(cluster_, victim) == PreemptMode::suspend;
    if (evicted_.contains(id) || gone_.contains(id) || suspends != by_suspending) return true;
    if (lack_some && holds_some(id)) return false;
    return std::ranges::none_of(victim.run->unfinished,
                                [&](NodeId node) { return useful.contains(node); });
  });
  return found;
}

std::optional<PreemptionSlot> Preemptor::find_by_suspending(const JobGroup& group) {
  const GroupShapes shapes = shapes_of(group);
  if (!cluster_.settings().preempt.gang || not_suspendable_for_.contains(shapes))
    return std::nullopt;
  std::vector<JobId> suspended, running;
  for (JobId id : preemptable_by(group, true))
    (is_suspended(id) ? suspended : running).push_back(id);
  std::optional<GroupSlot> slot;
  auto fits = [&](const std::vector<JobId>& victims) {
    if (profile_.probes() >= max_probes_) return false;
    Profile::Trial trial(profile_);
    for (JobId id : suspended) trial.release_cpus(cluster_.jobs.at(id));
    for (JobId id : victims) trial.release_cpus(cluster_.jobs.at(id));
    auto found = place_together(cluster_, group, now_, profile_);
    if (!found) return false;
    slot = std::move(found);
    return true;
  };
  std::vector<JobId> victims;
  if (suspended.empty() || !fits({}))
    victims = fewest_victims(running, fits, cluster_.settings().preempt.strict_order);
  if (!slot) {
    not_suspendable_for_.insert(shapes);
    return std::nullopt;
  }
  for (JobId id : suspended)
    if (std::ranges::any_of(slot->shares, [&](const auto& shares) {
          return overlap(cluster_.jobs.at(id).run->allocation, shares);
        }))
      victims.push_back(id);
  return PreemptionSlot{std::move(*slot), std::move(victims)};
}

void Preemptor::commit_suspension(const std::vector<JobId>& victims) {
  suspended_.insert(victims.begin(), victims.end());
}

std::optional<PreemptionSlot> Preemptor::find_by_evicting(const JobGroup& group) {
  const GroupShapes shapes = shapes_of(group);
  if (cluster_.settings().preempt.type == PreemptType::none || not_evictable_for_.contains(shapes))
    return std::nullopt;
  std::vector<JobId> leaving;
  for (std::uint32_t id : cluster_.active.ids())
    if (is_leaving(cluster_.jobs.at(JobId{id})) && !gone_.contains(JobId{id}))
      leaving.push_back(JobId{id});
  std::optional<GroupSlot> slot;
  auto fits = [&](const std::vector<JobId>& victims) {
    if (profile_.probes() >= max_probes_) return false;
    if (!have_licenses(group, leaving, victims)) return false;
    Profile::Trial trial(profile_);
    for (JobId id : leaving) trial.release(cluster_.jobs.at(id));
    for (JobId id : victims) trial.release(cluster_.jobs.at(id));
    auto found = place_together(cluster_, group, now_, profile_);
    if (!found) return false;
    slot = std::move(found);
    return true;
  };
  std::vector<JobId> victims;
  if (leaving.empty() || !fits({}))
    victims = fewest_victims(preemptable_by(group, false), fits,
                             cluster_.settings().preempt.strict_order);
  if (!slot) {
    not_evictable_for_.insert(shapes);
    return std::nullopt;
  }
  return PreemptionSlot{std::move(*slot), std::move(victims)};
}

void Preemptor::commit_eviction(const std::vector<JobId>& victims, const Job& by) {
  for (JobId id : victims) evicted_[id] = grace_time(cluster_, cluster_.jobs.at(id), &by);
}

bool Preemptor::have_licenses(const JobGroup& group, const std::vector<JobId>& leaving,
                              const std::vector<JobId>& victims) const {
  const auto wanted = licenses_of(group);
  if (wanted.empty()) return true;
  LicenseBook::Counts freed;
  for (const auto* jobs : {&leaving, &victims})
    for (JobId id : *jobs)
      for (const auto& [name, count] : licenses_held(cluster_, id)) freed[name] += count;
  return licenses_.has(wanted, span_of(group.front(), now_), freed);
}

Time Preemptor::free_from(const PreemptionSlot& opening) const {
  Time last = now_ + Seconds{1};
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (!is_leaving(job)) continue;
    bool here = std::ranges::any_of(opening.slot.shares, [&](const auto& shares) {
      return std::ranges::any_of(
          shares, [&](const NodeShare& share) { return job.run->unfinished.contains(share.node); });
    });
    if (!here && std::ranges::find(opening.victims, job.id) == opening.victims.end()) continue;
    auto evicted = evicted_.find(job.id);
    last = std::max(
        last, evicted != evicted_.end() ? now_ + evicted->second : leaves_at(cluster_, job, now_));
  }
  return last;
}

}  // namespace muster::sched
