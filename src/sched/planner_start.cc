// Starts what fits now.
#include "sched/planner.h"

#include <algorithm>
#include <chrono>

#include "base/text/duration.h"
#include "sched/request/time_limit.h"

namespace muster::sched {

Minutes Planner::limit_of(const Job& job, const Shape& shape) const {
  const Minutes asked = limit_in(cluster_, job, *shape.partition);
  Minutes limit = asked;
  const JobSpec& spec = *job.spec;
  if (shape.partition->max_time && !spec.time_limit_granted)
    limit = std::min(limit, *shape.partition->max_time);
  if (is_set(spec.deadline) && (spec.time_min || asked == kUnlimited))
    limit = std::min(limit, std::chrono::floor<Minutes>(spec.deadline - now_));
  return limit;
}

// As another plan has decided it.
void Planner::repeat(const Start& given) {
  const Job& job = cluster_.jobs.at(given.job);
  const Venue venue{cluster_.find_partition(given.partition),
                    cluster_.find_reservation(given.reservation)};
  rooms_.borrow(given.displaces);
  start({&job, &shapes_.of(job, venue), given.time_limit}, given.task, given.allocation,
        given.displaces);
  if (given.task) settled_.erase(job.id);  // others of its tasks may wait
}

bool Planner::has_licenses(const Members& members, Time from) const {
  const auto wanted = licenses_of(members);
  return wanted.empty() || licenses_.has(wanted, span_of(members.front(), from));
}

std::vector<Form> Planner::form_of(const Members& members) {
  std::vector<Form> form;
  for (const Member& m : members) form.emplace_back(m.shape, m.limit);
  return form;
}

PlannedRun Planner::run_of(const Member& m, const std::vector<NodeShare>& shares) {
  return {m.job, m.shape->partition, &shares, &m.shape->request.licenses, m.limit};
}

LimitHit Planner::limit_before_placing(const Members& members) const {
  for (const Member& m : members) {
    LimitHit hit = limits_.before_placing(*m.job, *m.shape->partition,
                                          limit_in(cluster_, *m.job, *m.shape->partition));
    if (!hit.empty()) return hit;
  }
  return {};
}

// Several that start together count like some that start one after the other.
Text Planner::limit_in_the_way(const Members& members, const JointSlot& slot) const {
  if (members.size() == 1) return limits_.in_the_way(run_of(members[0], slot.shares[0]));
  LimitBook together = limits_;
  for (std::size_t i = 0; i < members.size(); ++i) {
    const Member& m = members[i];
    Text hit = together
                   .before_placing(*m.job, *m.shape->partition,
                                   limit_in(cluster_, *m.job, *m.shape->partition))
                   .words;
    if (hit.empty()) hit = together.in_the_way(run_of(m, slot.shares[i]));
    if (!hit.empty()) return hit;
    together.start(run_of(m, slot.shares[i]));
  }
  return {};
}

// It is not looked at again before somebody who counts there has ended. One with several places to
// start in may have better luck in another one, and a plan that tries something out is no measure.
void Planner::set_aside(const Job& job, const UseKey& full) {
  if (job.is_het() || job.partition.view().contains(',') || !what_if_.gone.empty() ||
      cluster_.settings().limits_stop || choices(cluster_, job, now_).size() > 1)
    return;
  memory_.queue.defer(job, full);
}

// Starts them all, or says what they lack. `task` is the one of an array.
Reason Planner::try_together(Members& members, std::optional<std::uint32_t> task) {
  limit_hit_ = {};
  if (!has_licenses(members, now_)) return Reason::licenses;
  if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
  if (exhausted()) return Reason::priority;
  const LimitHit before = limit_before_placing(members);
  limit_hit_ = before.words;
  if (before.full) set_aside(*members.front().job, *before.full);
  if (!limit_hit_.empty()) return Reason::limit;
  auto form = form_of(members);
  if (failed_.contains(form)) return Reason::resources;
  auto slot = place_together(cluster_, members, now_, profile_);
  if (!slot && members.size() == 1) slot = place_shorter(members);
  std::optional<Room> room = slot ? Room{std::move(*slot), {}} : rooms_.lent(members);
  if (!room) {
    failed_.insert(std::move(form));
    return Reason::resources;
  }
  limit_hit_ = limit_in_the_way(members, room->slot);
  if (!limit_hit_.empty()) return Reason::limit;
  rooms_.borrow(room->victims);
  for (std::size_t i = 0; i < members.size(); ++i)
    start(members[i], task, std::move(room->slot.shares[i]), room->victims);
  return Reason::none;
}

// --time-min: the longest run that ends before a promise is due.
std::optional<JointSlot> Planner::place_shorter(Members& one) {
  Member& member = one.front();
  if (!member.job->spec->time_min) return std::nullopt;
  const Minutes asked = member.limit;
  auto place_for = [&](Minutes limit) {
    member.limit = limit;
    return place_together(cluster_, one, now_, profile_);
  };
  Minutes low = std::max(*member.job->spec->time_min, Minutes{1});
  if (low >= asked || !place_for(low)) {
    member.limit = asked;
    return std::nullopt;
  }
  for (Minutes high = std::min(asked, kNoLimitLeaves); low + Minutes{1} < high;) {
    Minutes middle = low + (high - low) / 2;
    (place_for(middle) ? low : high) = middle;
  }
  return place_for(low);
}

void Planner::start(const Member& m, std::optional<std::uint32_t> task,
                    std::vector<NodeShare> shares, const std::vector<JobId>& displaces) {
  Window window = window_of(*m.shape, now_, m.limit);
  window.user = m.job->spec->uid;
  for (const NodeShare& share : shares) profile_.start(share, window);
  const Reservation* reservation = m.shape->reservation;
  const Text name = reservation ? reservation->name : Text();
  licenses_.use(m.shape->request.licenses, span_of(m, now_));
  limits_.start(run_of(m, shares));
  settled_.insert(m.job->id);
  if (task) started_tasks_[m.job->id].insert(*task);
  if (running_tasks_ && m.job->array_id) ++(*running_tasks_)[m.job->array_id];
  plan_.starts.push_back({m.job->id, task, m.shape->partition->name, std::move(shares), m.limit,
                          displaces, name, priorities_.of(*m.job, m.shape->partition)});
}

}  // namespace muster::sched
