// Compares a job's account and QOS with the lists of its partition and of its association.
#include "sched/limits/permission.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "sched/priority/usage.h"

namespace muster::sched {

namespace {

bool restricts(const Text& allowed) { return !allowed.empty() && !iequals(allowed, "ALL"); }

// Slurm's sentence: "(batch allows sub not lab)", "(batch denies lab including lab)".
Text refusal(std::string_view what, const Partition& partition, bool allows, const Text& list,
             std::string_view name) {
  return Text(fmt::format("Job's {} not permitted to use this partition ({} {} {} {} {})", what,
                          partition.name.view(), allows ? "allows" : "denies", list.view(),
                          allows ? "not" : "including", name));
}

// The QOS of the association, or of the nearest account above it that names some.
bool association_has_qos(const Cluster& cluster, const Association& own, const Text& qos) {
  for (const Association* association : line_of(*cluster.associations, own))
    if (!association->qos.empty())
      return std::ranges::find(association->qos, qos) != association->qos.end();
  return true;
}

Permission by_association(const Cluster& cluster, const Job& job, const Partition& partition) {
  const Settings& settings = cluster.settings();
  const auto& all = *cluster.associations;
  if (!settings.enforce_associations || all.empty()) return {};
  const Association* own = find_association(all, association_of(cluster, job, partition.name));
  if (!own) return {Reason::invalid_account, {}};
  if (settings.enforce_qos && !association_has_qos(cluster, *own, job.qos))
    return {Reason::invalid_qos, {}};
  return {};
}

}  // namespace

bool lists_name(const Text& names, std::string_view name) {
  if (names.empty()) return false;
  return std::ranges::any_of(split(names, ','),
                             [&](std::string_view one) { return iequals(trim(one), name); });
}

bool admits_account(const Partition& partition, std::string_view account) {
  return restricts(partition.allow_accounts) ? lists_name(partition.allow_accounts, account)
                                             : !lists_name(partition.deny_accounts, account);
}

bool admits_qos(const Partition& partition, std::string_view qos) {
  return restricts(partition.allow_qos) ? lists_name(partition.allow_qos, qos)
                                        : !lists_name(partition.deny_qos, qos);
}

Permission permission_of(const Cluster& cluster, const Job& job, const Partition& partition) {
  if (!admits_account(partition, job.account)) {
    const bool allows = restricts(partition.allow_accounts);
    return {Reason::account_not_allowed,
            refusal("account", partition, allows,
                    allows ? partition.allow_accounts : partition.deny_accounts, job.account)};
  }
  if (!admits_qos(partition, job.qos)) {
    const bool allows = restricts(partition.allow_qos);
    return {Reason::qos_not_allowed,
            refusal("QOS", partition, allows, allows ? partition.allow_qos : partition.deny_qos,
                    job.qos)};
  }
  return by_association(cluster, job, partition);
}

const Permission& Permissions::of(const Job& job, const Partition& partition) {
  Key key{&partition, job.spec->user_name, job.account, job.qos};
  auto at = known_.find(key);
  if (at == known_.end())
    at = known_.emplace(std::move(key), permission_of(cluster_, job, partition)).first;
  return at->second;
}

}  // namespace muster::sched
