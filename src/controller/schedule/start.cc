// Starts planned jobs that can still start.
#include "controller/schedule/start.h"

#include <algorithm>

#include "controller/jobs/ending.h"
#include "controller/jobs/gang.h"
#include "controller/jobs/mailing.h"
#include "controller/jobs/select.h"
#include "controller/nodes/power_rules.h"
#include "sched/gate/gate.h"
#include "sched/place/free.h"
#include "sched/place/gres_fit.h"
#include "sched/place/node_fit.h"
#include "sched/place/sharing.h"
#include "sched/request/features.h"
#include "sched/timeline/reserved.h"

namespace muster::controller {

namespace {

// Whether its CPUs can be used by another job once it is suspended.
bool can_lend(const Job& job) {
  return job.run->awaits_turn || (job.state == JobState::running && !job.run->ending);
}

// --batch: the first node with these features, else the first node.
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

}  // namespace

namespace {

// Whether no other reservation has begun meanwhile.
bool is_left_by_reservations(const Ledger& ledger, const sched::Start& start,
                             const NodeShare& share) {
  if ((*ledger.cluster().reservations).empty()) return start.reservation.empty();
  const Reservation* own = nullptr;
  if (!start.reservation.empty() && !(own = ledger.cluster().find_reservation(start.reservation)))
    return false;
  Time until = ledger.now() + std::min(start.time_limit, sched::kNoLimitLeaves);
  if (own) until = std::min(until, sched::has_to_end(ledger.cluster(), *own));
  const WarnSignal& signal = ledger.job(start.job).spec->warn_signal;
  sched::Visit visit{share.node, ledger.now(), until, own};
  if (signal.yields_to_reservation) visit.yields_within = Seconds{signal.seconds_before_end};
  const auto access =
      sched::access(sched::reservations_of(ledger.cluster(), share.node, ledger.now()), visit);
  return !access.closed && access.usable(share.cpus) == share.cpus;
}

// Free CPUs, plus CPUs that jobs share, plus CPUs of jobs that will be suspended.
sched::Free free_for(const Cluster& cluster, const sched::Start& start, const Node& node,
                     const NodeShare& share) {
  sched::Free free = sched::free_of(node);
  sched::part_gpus(node, free);
  const JobSpec& spec = *cluster.jobs.at(start.job).spec;
  if (spec.core_spec && node.jobs.empty())
    free.cpus = sched::cpus_beside_system(node, *spec.core_spec);
  if (share.sharing > 1)
    free.cpus.merge(
        sched::shareable(sched::claims_on(cluster, node), start.partition, share.sharing - 1));
  for (JobId id : start.suspends) {
    const Job* job = cluster.jobs.find(id);
    if (!job || !can_lend(*job) || !node.jobs.contains(id.value)) continue;
    for (const NodeShare& lent : job->run->allocation)
      if (lent.node == node.id) sched::give_back_cpus(free, lent.cpus);
  }
  return free;
}

// The state may have changed while the plan was made.
bool still_fit(const Ledger& ledger, std::span<const sched::Start> starts) {
  for (const sched::Start& start : starts) {
    const Job* job = ledger.cluster().jobs.find(start.job);
    if (!job || job->state != JobState::pending || job->hold != Hold::none) return false;
    if (start.task ? !job->waiting_tasks.contains(*start.task) : job->is_array_record())
      return false;
    if (job->is_het() && starts.size() != job->het_size) return false;
    for (const NodeShare& share : start.allocation) {
      const Node* node = ledger.cluster().nodes.find(share.node);
      if (!node || !is_available(*node)) return false;
      if (!sched::holds(free_for(ledger.cluster(), start, *node, share), share)) return false;
      if (!is_left_by_reservations(ledger, start, share)) return false;
    }
  }
  return true;
}

}  // namespace

std::span<const sched::Start> first_group(const Cluster& cluster,
                                          std::span<const sched::Start> starts) {
  auto group_of = [&](const sched::Start& start) {
    const Job* job = cluster.jobs.find(start.job);
    return job ? job->het_id : JobId{};
  };
  const JobId group = group_of(starts.front());
  std::size_t count = 1;
  while (group && count < starts.size() && group_of(starts[count]) == group) ++count;
  return starts.first(count);
}

bool Starter::start_all_or_none(std::span<const sched::Start> starts) {
  if (!still_fit(ledger_, starts)) return false;
  for (const sched::Start& start : starts) start_job(start);
  return true;
}

bool uses_replaced_nodes(const Cluster& cluster, const std::vector<sched::Start>& starts) {
  return std::ranges::any_of(starts, [&](const sched::Start& start) {
    const Reservation* own =
        start.reservation.empty() ? nullptr : cluster.find_reservation(start.reservation);
    return own && own->has("REPLACE");
  });
}

void begin_to_accrue(Ledger& ledger, const IdSet& planned) {
  const Time now = ledger.now();
  IdSet jobs;
  for (std::uint32_t id : planned.ids()) {
    const Job* job = ledger.cluster().jobs.find(JobId{id});
    if (job && job->state == JobState::pending && !is_set(job->accrues_since) &&
        sched::is_eligible(ledger.cluster(), *job, now))
      jobs.insert(id);
  }
  if (!jobs.empty()) ledger.record(JobsAccruing{.jobs = std::move(jobs), .at = now});
}

void Starter::start_job(const sched::Start& start) {
  const Time now = ledger_.now();
  JobId id = start.job;
  if (start.task) id = split_task(ledger_, start.job, *start.task);
  for (JobId lender : start.suspends)
    if (const Job* job = ledger_.cluster().jobs.find(lender);
        job && can_lend(*job) && !job->run->awaits_turn)
      pause_in_gang(ledger_, lender);
  const Settings& settings = ledger_.settings();
  const Cluster& cluster = ledger_.cluster();
  const Job& job = ledger_.job(id);
  const bool reboots = reboots_first(cluster, job);
  ledger_.record(JobStarted{.job = id,
                            .attempt = Attempt{job.attempt.value + 1},
                            .partition = start.partition,
                            .allocation = start.allocation,
                            .at = now,
                            .runs_batch = job.runs_batch(),
                            .time_limit = start.time_limit,
                            .preparing = settings.programs.prolog_slurmctld || reboots ||
                                         !all_on(cluster, start.allocation),
                            .reservation = start.reservation,
                            .waited_for = planning_.why_it_waited(start.job),
                            .batch_index = batch_index(cluster, *job.spec, start.allocation),
                            .has_preferred = all_have(cluster, job.spec->prefer, start.allocation),
                            .priority = settings.priority.multifactor ? start.priority : 0});
  power_.up_for(ledger_.job(id));
  if (reboots) power_.reboot_for(ledger_.job(id));
  mail_begin_of_array(ledger_, ledger_.job(id));
  if (settings.programs.contain) create_extern_step(ledger_, id);
  if (settings.programs.prolog_slurmctld) programs_.start_prolog(ledger_.job(id));
  ledger_.touch_nodes_of(ledger_.job(id));
}

void cancel_hopeless(Ledger& ledger, const sched::Plan& plan) {
  const Time now = ledger.now();
  for (JobId id : plan.hopeless) {
    const Job* job = ledger.cluster().jobs.find(id);
    if (!job || job->state != JobState::pending) continue;
    mail_once(ledger, id, kMailInvalidDepend);
    job = &ledger.job(id);
    bool kill = job->spec->kill_on_invalid_dependency.value_or(
        ledger.settings().kill_on_invalid_dependency);
    if (!kill) continue;
    (void)end_job(ledger, *job, {.becomes = JobState::cancelled, .since = now},
                  "DependencyNeverSatisfied");
  }
}

}  // namespace muster::controller
