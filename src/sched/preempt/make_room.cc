#include "sched/preempt/make_room.h"

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
  if (auto own = parse_licenses(cluster, cluster.jobs.at(id).spec->licenses))
    for (const auto& [name, count] : *own) held[name] += count;
  return held;
}

}  // namespace

bool RoomMaker::is_leaving(const Job& job) const {
  return job.run->ending || job.run->preemption || is_ended(job.state) || evicted_.contains(job.id);
}

bool RoomMaker::is_suspended(JobId id) const {
  return cluster_.jobs.at(id).run->awaits_turn || suspended_.contains(id);
}

RoomMaker::Forms RoomMaker::forms_of(const Members& members) {
  Forms forms;
  for (const Member& m : members) forms.push_back(m.shape);
  return forms;
}

// Those whom every member may displace and who are where one of them could be, or hold licenses
// that they need.
std::vector<JobId> RoomMaker::displaceable(const Members& members, bool by_suspending) const {
  std::set<NodeId> useful;
  for (const Member& m : members)
    useful.insert(m.shape->nodes->all.begin(), m.shape->nodes->all.end());
  const auto licenses = licenses_of(members);
  const bool lack_some =
      !licenses.empty() && !licenses_.has(licenses, span_of(members.front(), now_));
  auto holds_some = [&](JobId id) {
    return std::ranges::any_of(licenses_held(cluster_, id),
                               [&](const auto& held) { return licenses.contains(held.first); });
  };
  std::vector<JobId> found =
      preemptable(cluster_, *members.front().job, *members.front().shape->partition, now_);
  for (auto m = members.begin() + 1; m != members.end() && !found.empty(); ++m) {
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

std::optional<Room> RoomMaker::lent(const Members& members) {
  const Forms forms = forms_of(members);
  if (!cluster_.settings().preempt.gang || unlent_.contains(forms)) return std::nullopt;
  std::vector<JobId> suspended, running;
  for (JobId id : displaceable(members, true))
    (is_suspended(id) ? suspended : running).push_back(id);
  std::optional<JointSlot> slot;
  auto fits = [&](const std::vector<JobId>& victims) {
    if (profile_.questions() >= max_questions_) return false;
    Profile::Trial trial(profile_);
    for (JobId id : suspended) trial.lend(cluster_.jobs.at(id));
    for (JobId id : victims) trial.lend(cluster_.jobs.at(id));
    auto found = place_together(cluster_, members, now_, profile_);
    if (!found) return false;
    slot = std::move(found);
    return true;
  };
  std::vector<JobId> victims;
  if (suspended.empty() || !fits({}))
    victims = fewest_victims(running, fits, cluster_.settings().preempt.strict_order);
  if (!slot) {
    unlent_.insert(forms);
    return std::nullopt;
  }
  for (JobId id : suspended)
    if (std::ranges::any_of(slot->shares, [&](const auto& shares) {
          return overlap(cluster_.jobs.at(id).run->allocation, shares);
        }))
      victims.push_back(id);
  return Room{std::move(*slot), std::move(victims)};
}

void RoomMaker::borrow(const std::vector<JobId>& victims) {
  suspended_.insert(victims.begin(), victims.end());
}

std::optional<Room> RoomMaker::vacated(const Members& members) {
  const Forms forms = forms_of(members);
  if (cluster_.settings().preempt.type == PreemptType::none || unaided_.contains(forms))
    return std::nullopt;
  std::vector<JobId> leaving;
  for (std::uint32_t id : cluster_.active.ids())
    if (is_leaving(cluster_.jobs.at(JobId{id})) && !gone_.contains(JobId{id}))
      leaving.push_back(JobId{id});
  std::optional<JointSlot> slot;
  auto fits = [&](const std::vector<JobId>& victims) {
    if (profile_.questions() >= max_questions_) return false;
    if (!have_licenses(members, leaving, victims)) return false;
    Profile::Trial trial(profile_);
    for (JobId id : leaving) trial.vacate(cluster_.jobs.at(id));
    for (JobId id : victims) trial.vacate(cluster_.jobs.at(id));
    auto found = place_together(cluster_, members, now_, profile_);
    if (!found) return false;
    slot = std::move(found);
    return true;
  };
  std::vector<JobId> victims;
  if (leaving.empty() || !fits({}))
    victims = fewest_victims(displaceable(members, false), fits,
                             cluster_.settings().preempt.strict_order);
  if (!slot) {
    unaided_.insert(forms);
    return std::nullopt;
  }
  return Room{std::move(*slot), std::move(victims)};
}

void RoomMaker::evict(const std::vector<JobId>& victims, const Job& by) {
  for (JobId id : victims) evicted_[id] = grace_time(cluster_, cluster_.jobs.at(id), &by);
}

bool RoomMaker::have_licenses(const Members& members, const std::vector<JobId>& leaving,
                              const std::vector<JobId>& victims) const {
  const auto wanted = licenses_of(members);
  if (wanted.empty()) return true;
  LicenseBook::Counts freed;
  for (const auto* jobs : {&leaving, &victims})
    for (JobId id : *jobs)
      for (const auto& [name, count] : licenses_held(cluster_, id)) freed[name] += count;
  return licenses_.has(wanted, span_of(members.front(), now_), freed);
}

Time RoomMaker::vacant_at(const Room& room) const {
  Time last = now_ + Seconds{1};
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (!is_leaving(job)) continue;
    bool here = std::ranges::any_of(room.slot.shares, [&](const auto& shares) {
      return std::ranges::any_of(
          shares, [&](const NodeShare& share) { return job.run->unfinished.contains(share.node); });
    });
    if (!here && std::ranges::find(room.victims, job.id) == room.victims.end()) continue;
    auto evicted = evicted_.find(job.id);
    last = std::max(
        last, evicted != evicted_.end() ? now_ + evicted->second : leaves_at(cluster_, job, now_));
  }
  return last;
}

}  // namespace muster::sched
