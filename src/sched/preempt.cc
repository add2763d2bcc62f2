#include "sched/preempt.h"

#include <algorithm>
#include <tuple>

#include "base/strings.h"
#include "sched/reserved.h"

namespace muster::sched {

namespace {

bool qos_may_preempt(const Cluster& cluster, const Job& job, const Job& victim) {
  const Qos* qos = cluster.find_qos(job.qos);
  return qos && std::ranges::find(qos->preempts, victim.qos) != qos->preempts.end();
}

// The victim runs on what is reserved for the job.
bool has_borrowed(const Cluster& cluster, const Job& victim, const Job& job) {
  if (job.spec->reservation.empty()) return false;
  return std::ranges::any_of(split(job.spec->reservation, ','), [&](std::string_view name) {
    const Reservation* r = cluster.find_reservation(name);
    return r && borrows_from(*r, victim);
  });
}

// How long the job runs before others may displace it. To be suspended loses nothing.
Seconds exempt_time(const Cluster& cluster, const Job& victim, PreemptMode mode) {
  if (mode == PreemptMode::suspend) return Seconds{0};
  if (const Qos* qos = cluster.find_qos(victim.qos); qos && qos->exempt_time)
    return *qos->exempt_time;
  return cluster.settings().preempt.exempt_time;
}

}  // namespace

PreemptMode preempt_mode(const Cluster& cluster, const Job& victim) {
  const PreemptSettings& s = cluster.settings().preempt;
  PreemptMode mode = s.mode;
  if (s.type == PreemptType::partition_priority) {
    if (const Partition* p = cluster.find_partition(victim.partition))
      mode = parse_preempt_mode(p->preempt_mode).value_or(s.mode);
  } else if (s.type == PreemptType::qos) {
    if (const Qos* qos = cluster.find_qos(victim.qos))
      mode = parse_preempt_mode(qos->preempt_mode).value_or(s.mode);
  } else {
    return PreemptMode::off;
  }
  // What cannot be put back is cancelled.
  bool requeues = victim.spec->kind == JobKind::batch &&
                  victim.spec->requeue.value_or(cluster.settings().job_requeue);
  if (mode == PreemptMode::requeue && !requeues) mode = PreemptMode::cancel;
  return mode;
}

Time preemptable_since(const Cluster& cluster, const Job& job) {
  const bool has_run = job.state != JobState::pending && is_set(job.started);
  const PreemptMode mode = preempt_mode(cluster, job);
  if (!has_run || mode == PreemptMode::off) return {};
  return job.started + exempt_time(cluster, job, mode);
}

std::int64_t preempt_rank(const Cluster& cluster, const Job& job) {
  if (cluster.settings().preempt.type == PreemptType::qos) {
    const Qos* qos = cluster.find_qos(job.qos);
    return qos ? qos->priority : 0;
  }
  const Partition* partition = cluster.find_partition(job.partition);
  return partition ? partition->priority_tier : 0;
}

Seconds grace_time(const Cluster& cluster, const Job& victim, const Job* by) {
  if (by && has_borrowed(cluster, victim, *by))
    return Seconds{victim.spec->warn_signal.seconds_before_end};
  if (cluster.settings().preempt.type == PreemptType::qos)
    if (const Qos* qos = cluster.find_qos(victim.qos); qos && qos->grace_time)
      return *qos->grace_time;
  const Partition* p = cluster.find_partition(victim.partition);
  return Seconds{p ? p->grace_time_s : 0};
}

std::vector<JobId> preemptable(const Cluster& cluster, const Job& job, const Partition& partition,
                               Time now) {
  const PreemptSettings& s = cluster.settings().preempt;
  std::vector<JobId> found;
  if (s.type == PreemptType::none) return found;
  // Lowest tier first; then whoever loses least: the youngest, or the least work done.
  using Loss = std::tuple<std::uint32_t, Millis, std::uint32_t>;
  std::vector<std::pair<Loss, JobId>> by_loss;
  for (std::uint32_t id : cluster.active.ids()) {
    const Job& victim = cluster.jobs.at(JobId{id});
    bool is_there = victim.state == JobState::running ||
                    (victim.state == JobState::suspended && victim.awaits_turn);
    if (!is_there || victim.ending || victim.preemption) continue;
    if (s.min_exempt_priority && victim.priority >= *s.min_exempt_priority) continue;
    const Partition* theirs = cluster.find_partition(victim.partition);
    std::uint32_t tier = theirs ? theirs->priority_tier : 0;
    bool may = s.type == PreemptType::qos ? qos_may_preempt(cluster, job, victim)
                                          : tier < partition.priority_tier;
    may = may || has_borrowed(cluster, victim, job);
    const PreemptMode mode = preempt_mode(cluster, victim);
    if (!may || mode == PreemptMode::off) continue;
    Millis ran = victim.run_time(now);
    if (ran < exempt_time(cluster, victim, mode)) continue;
    std::uint64_t cpus =
        s.youngest_first ? 1 : std::max<std::uint64_t>(1, total(victim.allocation).cpus);
    by_loss.push_back({{tier, ran * static_cast<std::int64_t>(cpus), ~id}, victim.id});
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
  // ... without those in it that are not in the way, the greatest loss spared first.
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
