// Starts the jobs that fit now.
#include "sched/planner.h"

#include <algorithm>
#include <chrono>

#include "base/text/duration.h"
#include "sched/request/loosened.h"
#include "sched/request/time_limit.h"

namespace muster::sched {

Minutes Planner::limit_of(const Job& job, const Shape& shape) const {
  const Minutes asked = limit_in(cluster_, job, *shape.partition);
  Minutes limit = asked;
  const JobSpec& spec = *job.spec;
  if (shape.partition->max_time && !spec.time_limit_granted && !may_exceed_time(cluster_, job.qos))
    limit = std::min(limit, *shape.partition->max_time);
  if (is_set(spec.deadline) && (spec.time_min || asked == kUnlimited))
    limit = std::min(limit, std::chrono::floor<Minutes>(spec.deadline - now_));
  return limit;
}

// Takes over a start that another plan has decided.
void Planner::repeat(const Start& given) {
  const Job& job = cluster_.jobs.at(given.job);
  const StartTarget target{cluster_.find_partition(given.partition),
                           cluster_.find_reservation(given.reservation)};
  preemptor_.commit_suspension(given.suspends);
  start({&job, &shapes_.shape_for(job, target), given.time_limit}, given.task, given.allocation,
        given.suspends);
  if (given.task) settled_.erase(job.id);  // other tasks of the array may wait
}

bool Planner::has_licenses(const JobGroup& group, Time from) const {
  const auto wanted = licenses_of(group);
  return wanted.empty() || licenses_.has(wanted, span_of(group.front(), from));
}

std::vector<ShapeKey> Planner::shape_keys_of(const JobGroup& group) {
  std::vector<ShapeKey> key;
  for (const GroupMember& m : group) key.emplace_back(m.shape, m.limit);
  return key;
}

PlannedRun Planner::run_of(const GroupMember& m, const std::vector<NodeShare>& shares) {
  return {m.job, m.shape->partition, &shares, &m.shape->request.licenses, m.limit};
}

LimitHit Planner::limit_exceeded_before_placing(const JobGroup& group) {
  static const Amounts kNothing;
  for (const GroupMember& m : group) {
    // For groups of several jobs this is checked when they are placed.
    const bool asks_least = group.size() == 1 && limits_.limits_what_is_held();
    LimitHit hit = limits_.exceeded_before_placing(*m.job, *m.shape->partition,
                                                   limit_in(cluster_, *m.job, *m.shape->partition),
                                                   asks_least ? least_of(*m.shape) : kNothing);
    if (!hit.empty()) return hit;
  }
  return {};
}

const Amounts& Planner::least_of(const Shape& shape) {
  auto [at, is_new] = least_.try_emplace(&shape);
  if (is_new) at->second = least_amounts(cluster_, *shape.partition, shape.request);
  return at->second;
}

// For a group the limits are checked as if its members started one after the other.
Text Planner::limit_exceeded_by(const JobGroup& group, const GroupSlot& slot) const {
  if (group.size() == 1) return limits_.exceeded_by(run_of(group[0], slot.shares[0]));
  LimitBook together = limits_;
  for (std::size_t i = 0; i < group.size(); ++i) {
    const GroupMember& m = group[i];
    Text hit = together
                   .exceeded_before_placing(*m.job, *m.shape->partition,
                                            limit_in(cluster_, *m.job, *m.shape->partition))
                   .words;
    if (hit.empty()) hit = together.exceeded_by(run_of(m, slot.shares[i]));
    if (!hit.empty()) return hit;
    together.start(run_of(m, slot.shares[i]));
  }
  return {};
}

// Defers the job until a job that counts against the same limit ends. Not if the job could start in
// another partition or reservation, and not in a trial plan.
void Planner::set_aside(const Job& job, const LimitScopeKey& full, const Text& words) {
  if (job.is_het() || job.partitions.parsed().size() > 1 || !what_if_.gone.empty() ||
      cluster_.settings().limits_stop || reservation_choices(cluster_, job, now_).size() > 1)
    return;
  cache_.queue.defer(job, full, words);
}

// Starts the whole group, or says what it lacks. `task` is set for a task of an array record.
Reason Planner::try_together(JobGroup& group, std::optional<std::uint32_t> task) {
  limit_hit_ = {};
  if (!has_licenses(group, now_)) return Reason::licenses;
  if (plan_.starts.size() >= budget_.max_starts) plan_.more_starts = true;
  if (exhausted()) return Reason::priority;
  const LimitHit before = limit_exceeded_before_placing(group);
  limit_hit_ = before.words;
  if (before.full_scope) set_aside(*group.front().job, *before.full_scope, before.words);
  if (!limit_hit_.empty()) return Reason::limit;
  auto key = shape_keys_of(group);
  if (failed_.contains(key)) return Reason::resources;
  auto slot = place_together(cluster_, group, now_, profile_);
  if (!slot && group.size() == 1) slot = place_shorter(group);
  std::optional<PreemptionSlot> opening =
      slot ? PreemptionSlot{std::move(*slot), {}} : preemptor_.find_by_suspending(group);
  if (!opening) {
    failed_.insert(std::move(key));
    return Reason::resources;
  }
  limit_hit_ = limit_exceeded_by(group, opening->slot);
  if (!limit_hit_.empty()) return Reason::limit;
  preemptor_.commit_suspension(opening->victims);
  for (std::size_t i = 0; i < group.size(); ++i)
    start(group[i], task, std::move(opening->slot.shares[i]), opening->victims);
  return Reason::none;
}

// --time-min: finds the longest run that ends before the next promise is due.
std::optional<GroupSlot> Planner::place_shorter(JobGroup& one) {
  GroupMember& member = one.front();
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

void Planner::start(const GroupMember& m, std::optional<std::uint32_t> task,
                    std::vector<NodeShare> shares, const std::vector<JobId>& suspends) {
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
                          suspends, name, priorities_.priority_of(*m.job, m.shape->partition),
                          !lines_.empty() && someone_waits_on(*m.shape)});
}

}  // namespace muster::sched
