// Rules of preemption by partition tier, QOS and reservation, and the search for the fewest
// victims.
#include "sched/preempt/preempt.h"

#include <algorithm>
#include <tuple>

#include "base/text/strings.h"
#include "sched/timeline/reserved.h"

namespace muster::sched {

namespace {

bool qos_may_preempt(const Cluster& cluster, const Job& job, const Job& victim) {
  const Qos* qos = cluster.find_qos(job.qos);
  if (qos && std::ranges::find(qos->preempts, victim.qos) != qos->preempts.end()) return true;
  const bool within =
      cluster.settings().preempt.within || (qos && has_within(qos->preempt_mode.view()));
  return within && job.qos == victim.qos && job.priority > victim.priority;
}

// The victim runs on borrowed nodes of the job's reservation.
bool has_borrowed(const Cluster& cluster, const Job& victim, const Job& job) {
  return std::ranges::any_of(job.spec->reservation.parsed(), [&](const Text& name) {
    const Reservation* r = cluster.find_reservation(name);
    return r && borrows_from(*r, victim);
  });
}

std::uint32_t tier_of(const Cluster& cluster, const Job& job) {
  const Partition* partition = cluster.partition_of(job);
  return partition ? partition->priority_tier : 0;
}

// How long the job runs before it may be preempted. Suspension loses no work, so it is always
// allowed.
Seconds exempt_time(const Cluster& cluster, const Job& victim, PreemptMode mode) {
  if (mode == PreemptMode::suspend) return Seconds{0};
  if (const Qos* qos = cluster.find_qos(victim.qos); qos && qos->exempt_time)
    return *qos->exempt_time;
  return cluster.settings().preempt.exempt_time;
}

// The mode set by the partition or the QOS, for a job or for one component of a heterogeneous job.
PreemptMode own_mode(const Cluster& cluster, const Job& victim) {
  const PreemptSettings& s = cluster.settings().preempt;
  PreemptMode mode = s.mode;
  if (s.type == PreemptType::partition_priority) {
    if (const Partition* p = cluster.partition_of(victim))
      mode = parse_preempt_mode(p->preempt_mode).value_or(s.mode);
  } else if (s.type == PreemptType::qos) {
    if (const Qos* qos = cluster.find_qos(victim.qos))
      mode = parse_preempt_mode(qos->preempt_mode).value_or(s.mode);
  } else {
    return PreemptMode::off;
  }
  // Jobs that cannot be requeued are cancelled.
  bool requeues = victim.spec->kind == JobKind::batch &&
                  victim.spec->requeue.value_or(cluster.settings().job_requeue);
  if (mode == PreemptMode::requeue && !requeues) mode = PreemptMode::cancel;
  return mode;
}

Seconds own_grace(const Cluster& cluster, const Job& victim, const Job* by) {
  if (by && has_borrowed(cluster, victim, *by))
    return Seconds{victim.spec->warn_signal.seconds_before_end};
  if (cluster.settings().preempt.type == PreemptType::qos) {
    const Qos* qos = cluster.find_qos(victim.qos);
    return qos ? qos->grace_time.value_or(Seconds{0}) : Seconds{0};
  }
  const Partition* p = cluster.partition_of(victim);
  return Seconds{p ? p->grace_time_s : 0};
}

}  // namespace

PreemptMode preempt_mode(const Cluster& cluster, const Job& victim) {
  PreemptMode mode = own_mode(cluster, victim);
  if (!victim.is_het()) return mode;
  for (const Job* component : cluster.components(victim)) {
    const PreemptMode theirs = own_mode(cluster, *component);
    if (theirs == PreemptMode::off) return PreemptMode::off;
    mode = std::max(mode, theirs);
  }
  return mode;
}

Time preemptable_since(const Cluster& cluster, const Job& job) {
  const bool has_run = job.state != JobState::pending && is_set(job.run->started);
  const PreemptMode mode = preempt_mode(cluster, job);
  if (!has_run || mode == PreemptMode::off) return {};
  return job.run->started + exempt_time(cluster, job, mode);
}

std::int64_t preempt_rank(const Cluster& cluster, const Job& job) {
  if (cluster.settings().preempt.type == PreemptType::qos) {
    const Qos* qos = cluster.find_qos(job.qos);
    return qos ? qos->priority : 0;
  }
  return tier_of(cluster, job);
}

Seconds grace_time(const Cluster& cluster, const Job& victim, const Job* by) {
  Seconds longest = own_grace(cluster, victim, by);
  if (victim.is_het())
    for (const Job* component : cluster.components(victim))
      longest = std::max(longest, own_grace(cluster, *component, by));
  return longest;
}

namespace {

// Whether the victim, running or suspended, has to give way to `job`.
bool gives_way(const Cluster& cluster, const Job& victim, const Job& job,
               const Partition& partition, Time now) {
  const PreemptSettings& s = cluster.settings().preempt;
  const bool is_there = victim.state == JobState::running || victim.state == JobState::suspended;
  if (!is_there || victim.run->ending || victim.run->preemption) return false;
  if (s.min_exempt_priority && victim.priority >= *s.min_exempt_priority) return false;
  const bool may = s.type == PreemptType::qos ? qos_may_preempt(cluster, job, victim)
                                              : tier_of(cluster, victim) < partition.priority_tier;
  if (!may && !has_borrowed(cluster, victim, job)) return false;
  const PreemptMode mode = preempt_mode(cluster, victim);
  // A job suspended by a user has stopped already.
  const bool is_stopped = victim.state == JobState::suspended && !victim.run->awaits_turn;
  if (mode == PreemptMode::off || (mode == PreemptMode::suspend && is_stopped)) return false;
  return victim.run_time(now) >= exempt_time(cluster, victim, mode);
}

// Components of a heterogeneous job are preempted together or not at all.
bool all_give_way(const Cluster& cluster, const Job& victim, const Job& job,
                  const Partition& partition, Time now) {
  if (!gives_way(cluster, victim, job, partition, now)) return false;
  return !victim.is_het() || std::ranges::all_of(cluster.components(victim), [&](const Job* each) {
    return is_ended(each->state) || gives_way(cluster, *each, job, partition, now);
  });
}

}  // namespace

std::vector<JobId> preemptable(const Cluster& cluster, const Job& job, const Partition& partition,
                               Time now) {
  const PreemptSettings& s = cluster.settings().preempt;
  std::vector<JobId> found;
  if (s.type == PreemptType::none) return found;
  // Lowest tier first, then the least work done; or with youngest_first the youngest job.
  using Loss = std::tuple<std::uint32_t, Millis, std::uint32_t>;
  std::vector<std::pair<Loss, JobId>> by_loss;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& victim = cluster.jobs.at(JobId{id});
    if (!all_give_way(cluster, victim, job, partition, now)) continue;
    const Millis ran = victim.run_time(now);
    const auto cpus = std::max<std::uint64_t>(1, total(victim.run->allocation).cpus);
    Loss loss{tier_of(cluster, victim), ran * static_cast<std::int64_t>(cpus), ~id};
    if (s.youngest_first) loss = {0, now - victim.run->started, ~id};
    by_loss.push_back({loss, victim.id});
  }
  std::sort(by_loss.begin(), by_loss.end());
  for (const auto& [loss, id] : by_loss) found.push_back(id);
  return found;
}

std::vector<JobId> fewest_victims(const std::vector<JobId>& preemptable,
                                  const std::function<bool(const std::vector<JobId>&)>& fits,
                                  bool strict_order) {
  if (preemptable.empty() || !fits(preemptable)) return {};
  // The shortest prefix that is enough ...
  std::size_t low = 1, high = preemptable.size();
  while (low < high) {
    std::size_t middle = (low + high) / 2;
    if (fits({preemptable.begin(), preemptable.begin() + static_cast<std::ptrdiff_t>(middle)}))
      high = middle;
    else
      low = middle + 1;
  }
  // ... without jobs that need not be preempted; the greatest loss is spared first.
  std::vector<JobId> victims(preemptable.begin(),
                             preemptable.begin() + static_cast<std::ptrdiff_t>(low));
  if (strict_order) return victims;
  for (std::size_t i = victims.size(); i-- > 0;) {
    std::vector<JobId> fewer = victims;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (!fewer.empty() && fits(fewer)) victims = std::move(fewer);
  }
  return victims;
}

}  // namespace muster::sched
