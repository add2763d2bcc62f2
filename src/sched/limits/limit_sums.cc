// Adds up jobs by QOS and association.
#include "sched/limits/limit_sums.h"

#include <algorithm>

#include "base/text/duration.h"
#include "sched/limits/limit_check.h"
#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

std::set<LimitScopeKey> keys_of(const Cluster& cluster, const Job& job) {
  std::set<LimitScopeKey> keys;
  for (const Qos* qos : qos_of(cluster, job, cluster.partition_of(job))) {
    const UsageOwner owner{.qos = qos->name, .association = {}};
    keys.insert({{owner, {}, {}}, {owner, job.spec->uid, {}}, {owner, {}, job.account}});
  }
  const auto& all = *cluster.associations;
  if (const Association* own = find_association(all, association_of(cluster, job)))
    for (const Association* association : line_of(all, *own))
      keys.insert({{.qos = {}, .association = association->key}, {}, {}});
  return keys;
}

void add_running(const Cluster& cluster, const Job& job, Time now, LimitSum& sum) {
  const Qos* qos = cluster.find_qos(job.qos);
  const Time end = job.end_limit();
  const Minutes left = end == Time::max() ? kUnlimited
                       : end > now        ? std::chrono::ceil<Minutes>(end - now)
                                          : Minutes{0};
  const double minutes = static_cast<double>(minutes_of(left)) * (qos ? qos->usage_factor : 1);
  ++sum.jobs;
  for (const auto& [name, amount] : amounts_of(cluster, job)) {
    sum.tres[name] += amount;
    sum.run_minutes[name] += static_cast<std::uint64_t>(static_cast<double>(amount) * minutes);
  }
  for (const NodeShare& share : job.run->allocation) sum.nodes.insert(share.node);
  sum.tres["node"] = sum.nodes.size();
}

void add_past(const Cluster& cluster, const UsageOwner& owner, const PastUse& use,
              LimitSums& sums) {
  if (!owner.qos.empty()) return sums[{owner, {}, {}}].past.add(use);
  const auto& all = *cluster.associations;
  if (const Association* own = find_association(all, owner.association))
    for (const Association* association : line_of(all, *own))
      sums[{{.qos = {}, .association = association->key}, {}, {}}].past.add(use);
}

}  // namespace

LimitSums limit_sums(const Cluster& cluster, Time now) {
  LimitSums sums;
  auto add = [&](std::uint32_t id) {
    const Job& job = cluster.jobs.at(JobId{id});
    if (is_ended(job.state)) return;
    const auto tasks =
        static_cast<std::uint32_t>(std::max<std::uint64_t>(1, job.waiting_tasks.size()));
    for (const LimitScopeKey& key : keys_of(cluster, job)) {
      LimitSum& sum = sums[key];
      sum.submitted += tasks;
      if (is_active(job.state))
        add_running(cluster, job, now, sum);
      else if (is_set(job.accrues_since))
        ++sum.accruing;
    }
  };
  for (std::uint32_t id : cluster.pending.ids()) add(id);
  for (std::uint32_t id : cluster.active.ids()) add(id);
  for (const auto& [owner, use] : past_use(cluster, now)) add_past(cluster, owner, use, sums);
  return sums;
}

}  // namespace muster::sched
