// Picks the time limit of a job.
#include "sched/request/time_limit.h"

#include <algorithm>
#include <utility>

#include "base/text/duration.h"

namespace muster::sched {

namespace {

bool has_own_limit(const JobSpec& spec) { return spec.time_limit && spec.time_limit->count() > 0; }

// The longest that the association lets a job run; a QOS that bounds it too overrides that.
Minutes allowed_by_association(const Cluster& cluster, const JobSpec& spec, const Text& account,
                               const Text& partition) {
  const auto& all = *cluster.associations;
  if (!cluster.settings().enforce_limits || all.empty()) return kUnlimited;
  AssociationKey key{.account = account, .user = spec.user_name, .partition = partition};
  const Association* own = find_association(all, key);
  key.partition = {};
  if (!own) own = find_association(all, key);
  if (!own) return kUnlimited;
  Minutes allowed = kUnlimited;
  bool found = false;
  for (const Association* association : line_of(all, *own)) {
    const Limits& limits = association->limits;
    if (limits.max_wall && !std::exchange(found, true))
      allowed = std::min(allowed, *limits.max_wall);
    allowed = std::min(allowed, limits.group.wall.value_or(kUnlimited));
  }
  return allowed;
}

}  // namespace

Minutes effective_limit(const Cluster& cluster, const JobSpec& spec, const ChargedTo& charged,
                        const Partition& partition) {
  if (has_own_limit(spec)) return *spec.time_limit;
  const Qos* own = cluster.find_qos(charged.qos);
  Minutes allowed = kUnlimited;
  if (own && cluster.enforces_limits_of(*own))
    allowed = std::min(own->limits.max_wall.value_or(kUnlimited),
                       own->limits.group.wall.value_or(kUnlimited));
  if (allowed == kUnlimited)
    allowed = allowed_by_association(cluster, spec, charged.account, partition.name);
  if (partition.default_time) return std::min(allowed, *partition.default_time);
  return std::min(allowed, partition.max_time.value_or(kUnlimited));
}

Minutes limit_in(const Cluster& cluster, const Job& job, const Partition& partition) {
  if (has_own_limit(*job.spec)) return job.time_limit;
  return effective_limit(cluster, *job.spec, {job.account, job.qos}, partition);
}

}  // namespace muster::sched
