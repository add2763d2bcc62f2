// Counts the waiting jobs that gain age, against the accrual limits.
#include "sched/limits/accrual.h"

#include <set>

#include "sched/gate/gate.h"
#include "sched/limits/limit_check.h"

namespace muster::sched {

namespace {

// Only the job's own QOS counts here, not its partition's.
bool has_accrual_limit(const Job& job, const Cluster& cluster, const LimitSources& sources) {
  if (!sources.any_accrual_limit() || cluster.settings().priority.accrue_always) return false;
  return std::ranges::any_of(sources.for_job(job, nullptr), [](const LimitSource& source) {
    const Limits& l = *source.limits;
    return l.group.accruing || l.per_user.accruing || l.per_account.accruing;
  });
}

}  // namespace

void Accruals::look_at(const Job& job) {
  if (is_set(job.accrues_since) || begun_.contains(job.id.value)) return;
  if (!is_eligible(cluster_, job, now_)) return;
  if (!sources_) sources_.emplace(cluster_);
  if (has_accrual_limit(job, cluster_, *sources_)) {
    if (!has_room_for(job)) return;
    count(job, *counts_);
  }
  begun_.insert(job.id.value);
}

bool Accruals::has_room_for(const Job& job) {
  if (!counts_) {
    Counts counts;
    for (std::uint32_t id : cluster_.pending.ids()) {
      const Job& other = cluster_.jobs.at(JobId{id});
      if (is_set(other.accrues_since)) count(other, counts);
    }
    counts_ = std::move(counts);
  }
  const auto sources = sources_->for_job(job, nullptr);
  auto used = [&](const LimitScopeKey& key) {
    auto at = counts_->find(key);
    return at == counts_->end() ? 0 : at->second;
  };
  return std::ranges::none_of(sources, [&](const LimitSource& source) {
    return is_full(sources, source, limit_field::group_accruing, used(source.group), 1) ||
           is_full(sources, source, limit_field::user_accruing, used(source.user), 1) ||
           is_full(sources, source, limit_field::account_accruing, used(source.account), 1);
  });
}

void Accruals::count(const Job& job, Counts& counts) const {
  std::set<LimitScopeKey> keys;
  for (const LimitSource& source : sources_->for_job(job, nullptr))
    keys.insert({source.group, source.user, source.account});
  for (const LimitScopeKey& key : keys) ++counts[key];
}

Time accrues_from(const Cluster& cluster, const Job& job, Time now) {
  const Time from = std::max(job.eligible, now);
  const bool known =
      is_eligible(cluster, job, from) && !has_accrual_limit(job, cluster, LimitSources(cluster));
  return known ? from : Time{};
}

}  // namespace muster::sched
