// Limits that are asked when a job is submitted.
#include "sched/limits/limit_check.h"

namespace muster::sched {

namespace {

bool limits_queue(const Ruler& ruler) {
  const Limits& l = *ruler.limits;
  return l.group.submitted || l.per_user.submitted || l.per_account.submitted;
}

// How many jobs wait and run, by whom they count with.
std::map<UseKey, std::uint64_t> queued(const Cluster& cluster, const Rulers& rulers) {
  std::map<UseKey, std::uint64_t> sums;
  auto count = [&](std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (is_ended(job.state)) return;
    const std::uint64_t jobs = std::max<std::uint64_t>(1, job.waiting_tasks.size());
    for (const Ruler& r : rulers.of(job, cluster.find_partition(job.partition))) {
      sums[r.group] += jobs;
      if (r.user == r.group) continue;
      sums[r.user] += jobs;
      sums[r.account] += jobs;
    }
  };
  for (std::uint32_t id : cluster.pending.ids()) count(id);
  for (std::uint32_t id : cluster.active.ids()) count(id);
  return sums;
}

Text too_many(const std::vector<Ruler>& rulers, const std::map<UseKey, std::uint64_t>& queued,
              std::uint64_t more) {
  auto jobs = [&](const UseKey& key) {
    auto at = queued.find(key);
    return at == queued.end() ? 0 : at->second;
  };
  for (const Ruler& r : rulers) {
    const CountWords& words = count_words(r.setter);
    if (is_full(rulers, r, of::group_submitted, jobs(r.group), more)) return words.group_submitted;
    if (is_full(rulers, r, of::user_submitted, jobs(r.user), more)) return words.user_submitted;
    if (is_full(rulers, r, of::account_submitted, jobs(r.account), more))
      return words.account_submitted;
  }
  return {};
}

// Even alone it would exceed what all its jobs may hold together.
Text never_fits(const Cluster& cluster, const std::vector<Ruler>& rulers, const Ruler& r,
                const PlannedRun& run) {
  const Amounts wanted = billed_amounts(cluster, run.partition, *run.shares, *run.licenses);
  const Amounts nothing;
  if (is_full(rulers, r, of::max_wall, 0, static_cast<std::uint64_t>(run.limit.count())))
    return count_words(r.setter).job_wall;
  if (Text hit = by_job(cluster, rulers, r, run, wanted); !hit.empty()) return hit;
  const std::pair<Scope, TresOf> shared[] = {{Scope::group, of::group_tres},
                                             {Scope::user, of::user_tres},
                                             {Scope::account, of::account_tres}};
  for (auto [scope, of] : shared)
    if (Text hit = exceeded(rulers, r, scope, of, nothing, wanted); !hit.empty()) return hit;
  return {};
}

bool denies(const Cluster& cluster, const Ruler& ruler) {
  const Qos* qos = cluster.find_qos(ruler.group.payer.qos);
  return ruler.setter == Setter::qos && qos && qos->deny_on_limit;
}

}  // namespace

Text refused_by_limit(const Cluster& cluster, const PlannedRun& run, std::uint64_t tasks) {
  const Rulers all(cluster);
  if (!all.limit_anything()) return {};
  const auto rulers = all.of(*run.job, run.partition);
  if (std::ranges::any_of(rulers, limits_queue))
    if (Text hit = too_many(rulers, queued(cluster, all), tasks); !hit.empty()) return hit;
  for (const Ruler& r : rulers)
    if (denies(cluster, r))
      if (Text hit = never_fits(cluster, rulers, r, run); !hit.empty()) return hit;
  return {};
}

}  // namespace muster::sched
