// Lists the QOS and associations whose limits count for a job.
#include "sched/limits/limit_sources.h"

#include <algorithm>

#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

LimitSource source_of(const Qos& qos, const Job& job) {
  const UsageOwner owner{.qos = qos.name, .association = {}};
  return {.kind = SourceKind::qos,
          .limits = &qos.limits,
          .group = {owner, {}, {}},
          .user = {owner, job.spec->uid, {}},
          .account = {owner, {}, job.account}};
}

}  // namespace

LimitSources::LimitSources(const Cluster& cluster) : cluster_(cluster) {
  auto look_at = [this](const Limits& limits) {
    any_limit_ |= limits != Limits{};
    any_node_limit_ |= amount_of(limits.group.tres, "node") ||
                       amount_of(limits.per_user.tres, "node") ||
                       amount_of(limits.per_account.tres, "node");
    any_held_limit_ |= !limits.group.tres.empty() || !limits.per_user.tres.empty() ||
                       !limits.per_account.tres.empty();
    any_time_limit_ |= !limits.group.past_minutes.empty() || limits.group.wall.has_value() ||
                       !limits.max_minutes_per_job.empty();
    any_accrual_limit_ |=
        limits.group.accruing || limits.per_user.accruing || limits.per_account.accruing;
  };
  if (cluster.settings().enforce_limits)
    for (const Association& association : *cluster.associations) look_at(association.limits);
  any_association_limit_ = any_limit_;
  for (const Qos* qos : cluster.all_qos())
    if (cluster.enforces_limits_of(*qos)) look_at(qos->limits);
}

std::vector<LimitSource> LimitSources::for_job(const Job& job, const Partition* partition) const {
  std::vector<LimitSource> sources;
  for (const Qos* qos : qos_of(cluster_, job, partition)) {
    if (!cluster_.enforces_limits_of(*qos)) continue;
    sources.push_back(source_of(*qos, job));
    sources.back().higher_ranked = sources.size() - 1;
  }
  if (any_association_limit_)
    add_line(job, partition ? partition->name : first_of(job.partitions), sources);
  return sources;
}

void LimitSources::add_line(const Job& job, const Text& partition,
                            std::vector<LimitSource>& sources) const {
  const auto& all = *cluster_.associations;
  const Association* own = find_association(all, association_of(cluster_, job, partition));
  if (!own) return;
  const Qos* qos = cluster_.find_qos(job.qos);
  const std::size_t higher_ranked = sources.size();
  const auto line = line_of(all, *own);
  for (const Association* association : line) {
    const LimitScopeKey group{{.qos = {}, .association = association->key}, {}, {}};
    sources.push_back({.kind = SourceKind::association,
                       .limits = &limits_of(*association, line),
                       .group = group,
                       .user = group,
                       .account = group,
                       .factor = qos ? qos->limit_factor : 1,
                       .higher_ranked = higher_ranked});
  }
}

// A user's association has all inherited limits. An account has only its group limits: its other
// limits are inherited by its users.
const Limits& LimitSources::limits_of(const Association& association,
                                      const std::vector<const Association*>& line) const {
  auto [at, fresh] = association_limits_.try_emplace(association.key);
  if (!fresh) return at->second;
  if (association.is_user())
    at->second = inherited_limits(line);
  else
    at->second.group = association.limits.group;
  return at->second;
}

}  // namespace muster::sched
