// Limits that are checked when a job is submitted.
#include "sched/limits/limit_check.h"

namespace muster::sched {

namespace {

bool limits_queue(const LimitSource& source) {
  const Limits& l = *source.limits;
  return l.group.submitted || l.per_user.submitted || l.per_account.submitted;
}

// How many jobs wait and run, by the scope of the limits that count them.
std::map<LimitScopeKey, std::uint64_t> queued(const Cluster& cluster, const LimitSources& sources) {
  std::map<LimitScopeKey, std::uint64_t> sums;
  auto count = [&](std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (is_ended(job.state)) return;
    const std::uint64_t jobs = std::max<std::uint64_t>(1, job.waiting_tasks.size());
    for (const LimitSource& source : sources.for_job(job, cluster.partition_of(job))) {
      sums[source.group] += jobs;
      if (source.user == source.group) continue;
      sums[source.user] += jobs;
      sums[source.account] += jobs;
    }
  };
  for (std::uint32_t id : cluster.pending.ids()) count(id);
  for (std::uint32_t id : cluster.active.ids()) count(id);
  return sums;
}

Text too_many(const std::vector<LimitSource>& sources,
              const std::map<LimitScopeKey, std::uint64_t>& queued, std::uint64_t more) {
  auto jobs = [&](const LimitScopeKey& key) {
    auto at = queued.find(key);
    return at == queued.end() ? 0 : at->second;
  };
  for (const LimitSource& source : sources) {
    const CountWords& words = count_words(source.kind);
    if (is_full(sources, source, limit_field::group_submitted, jobs(source.group), more))
      return words.group_submitted;
    if (is_full(sources, source, limit_field::user_submitted, jobs(source.user), more))
      return words.user_submitted;
    if (is_full(sources, source, limit_field::account_submitted, jobs(source.account), more))
      return words.account_submitted;
  }
  return {};
}

// The limit that the job exceeds even if no other job runs.
Text never_fits(const Cluster& cluster, const std::vector<LimitSource>& sources,
                const LimitSource& source, const PlannedRun& run) {
  const Amounts wanted = billed_amounts(cluster, run.partition, *run.shares, *run.licenses);
  const Amounts nothing;
  if (is_full(sources, source, limit_field::max_wall, 0,
              static_cast<std::uint64_t>(run.limit.count())))
    return count_words(source.kind).job_wall;
  if (Text hit = exceeded_job_limit(cluster, sources, source, run, wanted); !hit.empty())
    return hit;
  const std::uint64_t minutes = minutes_of(run.limit);
  if (is_full(sources, source, limit_field::group_wall, 0, minutes))
    return count_words(source.kind).group_wall;
  const Amounts tres_minutes = times(wanted, static_cast<double>(minutes));
  const std::pair<Scope, TresField> over_time[] = {
      {Scope::group_run_minutes, limit_field::group_run_minutes},
      {Scope::group_past_minutes, limit_field::group_past_minutes}};
  for (auto [scope, field] : over_time)
    if (Text hit = exceeded(sources, source, scope, field, nothing, tres_minutes); !hit.empty())
      return hit;
  const std::pair<Scope, TresField> shared[] = {{Scope::group, limit_field::group_tres},
                                                {Scope::user, limit_field::user_tres},
                                                {Scope::account, limit_field::account_tres}};
  for (auto [scope, field] : shared)
    if (Text hit = exceeded(sources, source, scope, field, nothing, wanted); !hit.empty())
      return hit;
  return {};
}

bool denies(const Cluster& cluster, const LimitSource& source) {
  const Qos* qos = cluster.find_qos(source.group.owner.qos);
  return source.kind == SourceKind::qos && qos && qos->deny_on_limit;
}

}  // namespace

Text refused_by_limit(const Cluster& cluster, const PlannedRun& run, std::uint64_t tasks) {
  const LimitSources all(cluster);
  if (!all.any_limit()) return {};
  const auto sources = all.for_job(*run.job, run.partition);
  if (std::ranges::any_of(sources, limits_queue))
    if (Text hit = too_many(sources, queued(cluster, all), tasks); !hit.empty()) return hit;
  const bool denied = std::ranges::any_of(
      sources, [&](const LimitSource& source) { return denies(cluster, source); });
  for (const LimitSource& source : sources)
    if (source.kind == SourceKind::association ? denied : denies(cluster, source))
      if (Text hit = never_fits(cluster, sources, source, run); !hit.empty()) return hit;
  return {};
}

}  // namespace muster::sched
