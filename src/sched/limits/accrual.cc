#include "sched/limits/accrual.h"

#include <set>

#include "sched/gate/gate.h"
#include "sched/limits/limit_check.h"

namespace muster::sched {

namespace {

// Only the job's own QOS counts here, not its partition's.
bool limit_age_of(const Job& job, const Cluster& cluster, const Rulers& rulers) {
  if (!rulers.limit_age() || cluster.settings().priority.accrue_always) return false;
  return std::ranges::any_of(rulers.of(job, nullptr), [](const Ruler& r) {
    const Limits& l = *r.limits;
    return l.group.accruing || l.per_user.accruing || l.per_account.accruing;
  });
}

}  // namespace

void Accruals::look_at(const Job& job) {
  if (is_set(job.accrues_since) || begun_.contains(job.id.value)) return;
  if (!is_eligible(cluster_, job, now_)) return;
  if (!rulers_) rulers_.emplace(cluster_);
  if (limit_age_of(job, cluster_, *rulers_)) {
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
  const auto rulers = rulers_->of(job, nullptr);
  auto used = [&](const UseKey& key) {
    auto at = counts_->find(key);
    return at == counts_->end() ? 0 : at->second;
  };
  return std::ranges::none_of(rulers, [&](const Ruler& r) {
    return is_full(rulers, r, of::group_accruing, used(r.group), 1) ||
           is_full(rulers, r, of::user_accruing, used(r.user), 1) ||
           is_full(rulers, r, of::account_accruing, used(r.account), 1);
  });
}

void Accruals::count(const Job& job, Counts& counts) const {
  std::set<UseKey> keys;
  for (const Ruler& r : rulers_->of(job, nullptr)) keys.insert({r.group, r.user, r.account});
  for (const UseKey& key : keys) ++counts[key];
}

Time accrues_from(const Cluster& cluster, const Job& job, Time now) {
  const Time from = std::max(job.eligible, now);
  const bool known =
      is_eligible(cluster, job, from) && !limit_age_of(job, cluster, Rulers(cluster));
  return known ? from : Time{};
}

}  // namespace muster::sched
