// Takes over what the scheduler planned, start by start, each one validated again.
#include <algorithm>

#include "controller/core.h"
#include "controller/nodes/power.h"
#include "sched/gate/gate.h"
#include "sched/place/free.h"
#include "sched/place/gres_fit.h"
#include "sched/place/node_fit.h"
#include "sched/place/sharing.h"
#include "sched/request/features.h"
#include "sched/timeline/reserved.h"

namespace muster::controller {

namespace {

// Its CPUs are at another's disposal once it is suspended.
bool can_lend(const Job& job) {
  return job.run->awaits_turn || (job.state == JobState::running && !job.run->ending);
}

// --batch: the first node that has these features, or else the first one.
std::uint32_t batch_index(const Cluster& cluster, const JobSpec& spec,
                          const std::vector<NodeShare>& allocation) {
  auto wanted = sched::parse_constraint(cluster, spec.batch_features);
  if (!wanted) return 0;
  auto has = [&](const NodeShare& share) {
    return sched::has_features(cluster.nodes.at(share.node), wanted->each);
  };
  auto first = std::ranges::find_if(allocation, has);
  return first == allocation.end() ? 0 : static_cast<std::uint32_t>(first - allocation.begin());
}

bool all_have(const Cluster& cluster, const Text& features,
              const std::vector<NodeShare>& allocation) {
  auto wanted = sched::parse_constraint(cluster, features);
  if (!wanted || wanted->empty()) return false;
  return std::ranges::all_of(allocation, [&](const NodeShare& share) {
    return sched::has_features(cluster.nodes.at(share.node), wanted->each);
  });
}

// REPLACE: such a reservation has other nodes as soon as a job uses some.
bool uses_replaced_nodes(const Cluster& cluster, const std::vector<sched::Start>& starts) {
  return std::ranges::any_of(starts, [&](const sched::Start& start) {
    const Reservation* own =
        start.reservation.empty() ? nullptr : cluster.find_reservation(start.reservation);
    return own && own->has("REPLACE");
  });
}

}  // namespace

void Core::on_planned(sched::Plan plan, Time now) {
  now_ = now;
  open_.had_its_plan = open_.patient_replies > 0;
  begin_to_accrue(plan.accruing, now);  // those that start, too: they have become eligible
  // Components of a heterogeneous job stand side by side.
  std::span<const sched::Start> rest = plan.starts;
  auto group_of = [&](const sched::Start& start) {
    const Job* job = cluster_.jobs.find(start.job);
    return job ? job->het_id : JobId{};
  };
  while (!rest.empty()) {
    const JobId group = group_of(rest.front());
    std::size_t count = 1;
    while (group && count < rest.size() && group_of(rest[count]) == group) ++count;
    start_all_or_none(rest.first(count), now);
    rest = rest.subspan(count);
  }
  if (uses_replaced_nodes(cluster_, plan.starts)) turn_reservations(now);
  for (const sched::Eviction& eviction : plan.evictions) evict(eviction, now);
  if (plan.more_starts) want_plan();
  cancel_hopeless(plan, now);
  last_plan_ = std::make_shared<sched::Plan>(std::move(plan));
  if (last_plan_->thorough || last_plan_->complete) thorough_plan_ = last_plan_;
  last_plan_at_ = now;
  // Reasons are not journalled: publish them even if nothing else happened.
  if (open_.empty() && !in_flight_) host_.publish(published());
}

void Core::start_all_or_none(std::span<const sched::Start> starts, Time now) {
  if (!still_fit(starts)) return;  // whatever came between has asked for another plan
  for (const sched::Start& start : starts) start_job(start, now);
  for (const sched::Start& start : starts) start_first_step(start.job, now);
}

// The state may have moved on while the plan was made.
bool Core::still_fit(std::span<const sched::Start> starts) const {
  for (const sched::Start& start : starts) {
    const Job* job = cluster_.jobs.find(start.job);
    if (!job || job->state != JobState::pending || job->hold != Hold::none) return false;
    if (start.task ? !job->waiting_tasks.contains(*start.task) : job->is_array_record())
      return false;
    if (job->is_het() && starts.size() != job->het_size) return false;
    for (const NodeShare& share : start.allocation) {
      const Node* node = cluster_.nodes.find(share.node);
      if (!node || !is_available(*node)) return false;
      if (!sched::holds(free_for(start, *node, share), share)) return false;
      if (!is_left_by_reservations(start, share)) return false;
    }
  }
  return true;
}

// Nobody else's reservation has come between.
bool Core::is_left_by_reservations(const sched::Start& start, const NodeShare& share) const {
  if ((*cluster_.reservations).empty()) return start.reservation.empty();
  const Reservation* own = nullptr;
  if (!start.reservation.empty() && !(own = cluster_.find_reservation(start.reservation)))
    return false;
  Time until = now_ + std::min(start.time_limit, sched::kNoLimitLeaves);
  if (own) until = std::min(until, sched::has_to_end(cluster_, *own));
  const WarnSignal& signal = cluster_.jobs.at(start.job).spec->warn_signal;
  sched::Visit visit{share.node, now_, until, own};
  if (signal.yields_to_reservation) visit.yields_within = Seconds{signal.seconds_before_end};
  const auto access = sched::access(sched::reservations_of(cluster_, share.node, now_), visit);
  return !access.closed && access.usable(share.cpus) == share.cpus;
}

// What nobody has, what jobs share, and what others lend.
sched::Free Core::free_for(const sched::Start& start, const Node& node,
                           const NodeShare& share) const {
  sched::Free free = sched::free_of(node);
  sched::part_gpus(node, free);
  const JobSpec& spec = *cluster_.jobs.at(start.job).spec;
  if (spec.core_spec && node.jobs.empty())
    free.cpus = sched::cpus_beside_system(node, *spec.core_spec);
  if (share.sharing > 1)
    free.cpus.merge(
        sched::shareable(sched::claims_on(cluster_, node), start.partition, share.sharing - 1));
  for (JobId id : start.displaces) {
    const Job* job = cluster_.jobs.find(id);
    if (!job || !can_lend(*job) || !node.jobs.contains(id.value)) continue;
    for (const NodeShare& lent : job->run->allocation)
      if (lent.node == node.id) sched::give_back_cpus(free, lent.cpus);
  }
  return free;
}

// Those that still wait, and for nothing but room.
void Core::begin_to_accrue(const IdSet& planned, Time now) {
  IdSet jobs;
  for (std::uint32_t id : planned.ids()) {
    const Job* job = cluster_.jobs.find(JobId{id});
    if (job && job->state == JobState::pending && !is_set(job->accrues_since) &&
        sched::is_eligible(cluster_, *job, now))
      jobs.insert(id);
  }
  if (!jobs.empty()) record(JobsAccruing{.jobs = std::move(jobs), .at = now});
}

// What the plans before this one said of it. They do not look at jobs that cannot start yet: of
// those the specification tells.
Text Core::why_it_waited(JobId id) const {
  for (const auto& plan : {last_plan_, thorough_plan_})
    if (const sched::Wait* wait = sched::find_wait(*plan, id))
      return wait->detail.empty() ? Text(sched::reason_name(wait->reason)) : wait->detail;
  const Job& job = cluster_.jobs.at(id);
  if (!job.own.dependency.empty()) return sched::reason_name(sched::Reason::dependency);
  if (job.own.begin > job.submitted) return sched::reason_name(sched::Reason::begin_time);
  return {};
}

void Core::start_job(const sched::Start& start, Time now) {
  JobId id = start.job;
  if (start.task) id = split_task(cluster_.jobs.at(start.job), *start.task);
  for (JobId lender : start.displaces)
    if (const Job* job = cluster_.jobs.find(lender);
        job && can_lend(*job) && !job->run->awaits_turn)
      pause(lender, now);
  const Job& job = cluster_.jobs.at(id);
  record(JobStarted{.job = id,
                    .attempt = Attempt{job.attempt.value + 1},
                    .partition = start.partition,
                    .allocation = start.allocation,
                    .at = now,
                    .runs_batch = job.runs_batch(),
                    .time_limit = start.time_limit,
                    .preparing = cluster_.settings().programs.prolog_slurmctld ||
                                 reboots_first(job) || !all_on(cluster_, start.allocation),
                    .reservation = start.reservation,
                    .waited_for = why_it_waited(start.job),
                    .batch_index = batch_index(cluster_, *job.spec, start.allocation),
                    .has_preferred = all_have(cluster_, job.spec->prefer, start.allocation),
                    .priority = cluster_.settings().priority.multifactor ? start.priority : 0});
  power_up_for(cluster_.jobs.at(id), now);
  if (reboots_first(cluster_.jobs.at(id))) reboot_for(cluster_.jobs.at(id), now);
  mail_begin_of_array(cluster_.jobs.at(id), now);
  if (cluster_.settings().programs.contain) create_extern_step(id, now);
  if (cluster_.settings().programs.prolog_slurmctld)
    run_program(SiteProgramRun::Which::prolog_slurmctld, cluster_.jobs.at(id));
  touch_nodes_of(cluster_.jobs.at(id));
}

void Core::cancel_hopeless(const sched::Plan& plan, Time now) {
  for (JobId id : plan.hopeless) {
    const Job* job = cluster_.jobs.find(id);
    if (!job || job->state != JobState::pending) continue;
    mail_once(id, kMailInvalidDepend, now);
    job = &cluster_.jobs.at(id);
    bool kill = job->spec->kill_on_invalid_dependency.value_or(
        cluster_.settings().kill_on_invalid_dependency);
    if (!kill) continue;
    (void)end_job(*job, {.becomes = JobState::cancelled, .since = now}, "DependencyNeverSatisfied",
                  now);
  }
}

}  // namespace muster::controller
