#include "sched/limits/rulers.h"

#include <algorithm>

#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

Ruler ruler_of(const Qos& qos, const Job& job) {
  const Payer payer{.qos = qos.name, .association = {}};
  return {.setter = Setter::qos,
          .limits = &qos.limits,
          .group = {payer, {}, {}},
          .user = {payer, job.spec->uid, {}},
          .account = {payer, {}, job.account}};
}

}  // namespace

Rulers::Rulers(const Cluster& cluster) : cluster_(cluster) {
  auto look_at = [this](const Limits& limits) {
    limit_anything_ |= limits != Limits{};
    limit_time_ |= !limits.group.past_minutes.empty() || limits.group.wall.has_value() ||
                   !limits.max_minutes_per_job.empty();
    limit_age_ |= limits.group.accruing || limits.per_user.accruing || limits.per_account.accruing;
  };
  if (cluster.settings().enforce_limits)
    for (const Association& association : *cluster.associations) look_at(association.limits);
  limit_associations_ = limit_anything_;
  for (const Qos& qos : (*cluster.config).qos) look_at(qos.limits);
}

std::vector<Ruler> Rulers::of(const Job& job, const Partition* partition) const {
  std::vector<Ruler> rulers;
  for (const Qos* qos : qos_of(cluster_, job, partition)) {
    rulers.push_back(ruler_of(*qos, job));
    rulers.back().before = rulers.size() - 1;
  }
  if (limit_associations_) add_line(job, partition ? partition->name : job.partition, rulers);
  return rulers;
}

void Rulers::add_line(const Job& job, const Text& partition, std::vector<Ruler>& rulers) const {
  const auto& all = *cluster_.associations;
  const Association* own = find_association(all, association_of(cluster_, job, partition));
  if (!own) return;
  const Qos* qos = cluster_.find_qos(job.qos);
  const std::size_t before = rulers.size();
  const auto line = line_of(all, *own);
  for (const Association* association : line) {
    const UseKey group{{.qos = {}, .association = association->key}, {}, {}};
    rulers.push_back({.setter = Setter::association,
                      .limits = &limits_of(*association, line),
                      .group = group,
                      .user = group,
                      .account = group,
                      .factor = qos ? qos->limit_factor : 1,
                      .before = before});
  }
}

// What an account says for each user is the users' by inheritance; for itself it rules its group.
const Limits& Rulers::limits_of(const Association& association,
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
