// Looks up the account and QOS of a job in the associations.
#include "controller/submit/membership.h"

#include <algorithm>

namespace muster::controller {

namespace {

constexpr std::string_view kDefaultQos = "normal";

const Association* association_in(const Cluster& cluster, const Text& user, const Text& account,
                                  const Text& partition) {
  const auto& all = *cluster.associations;
  const Association* own =
      find_association(all, {.account = account, .user = user, .partition = partition});
  return own ? own : find_association(all, {.account = account, .user = user, .partition = {}});
}

// If associations are not enforced, an account that the user is not in counts as not given.
Text account_of(const Cluster& cluster, const JobSpec& spec, const Text& partition) {
  const auto& all = *cluster.associations;
  const bool is_free = !cluster.settings().enforce_associations && !all.empty() &&
                       !association_in(cluster, spec.user_name, spec.account, partition);
  if (!spec.account.empty() && !is_free) return spec.account;
  auto own = std::ranges::find_if(
      all, [&](const Association& a) { return a.is_default && a.key.user == spec.user_name; });
  if (own != all.end()) return own->key.account;
  return spec.account.empty() ? Text(kRootAccount) : spec.account;
}

// The nearest association's value that is set.
template <class T>
T inherited(const std::vector<const Association*>& line, T Association::* member) {
  for (const Association* association : line)
    if (!(association->*member).empty()) return association->*member;
  return {};
}

}  // namespace

Result<void> is_known_qos(const Cluster& cluster, std::string_view name) {
  bool counts = cluster.settings().enforce_qos || !(*cluster.config).qos.empty();
  if (counts && name != kDefaultQos && !cluster.find_qos(name)) return fail(ErrorCode::invalid_qos);
  return {};
}

Result<void> may_use_account(const Cluster& cluster, const JobSpec& spec, const Text& account,
                             const Text& first_partition) {
  if (!cluster.settings().enforce_associations || (*cluster.associations).empty()) return {};
  if (association_in(cluster, spec.user_name, account, first_partition)) return {};
  return fail(ErrorCode::invalid_account);
}

Result<void> may_use_qos(const Cluster& cluster, const JobSpec& spec, const Membership& membership,
                         const Text& first_partition) {
  if (auto ok = is_known_qos(cluster, membership.qos); !ok) return ok;
  if (!cluster.settings().enforce_qos) return {};
  const Association* own =
      association_in(cluster, spec.user_name, membership.account, first_partition);
  if (!own) return {};
  const auto allowed = inherited(line_of(*cluster.associations, *own), &Association::qos);
  if (allowed.empty() || std::ranges::find(allowed, membership.qos) != allowed.end()) return {};
  return fail(ErrorCode::invalid_qos);
}

Result<void> settle_wckey(const Cluster& cluster, JobSpec& spec) {
  if (!cluster.settings().enforce_wckeys || (*cluster.associations).empty()) return {};
  const UserAccess* user = cluster.find_user(spec.user_name);
  if (user && spec.wckey.empty()) spec.wckey = user->default_wckey;
  if (spec.wckey.empty()) return {};
  if (user && std::ranges::binary_search(user->wckeys, spec.wckey)) return {};
  return fail(ErrorCode::invalid_wckey);
}

Result<Membership> membership_of(const Cluster& cluster, const JobSpec& spec,
                                 const Text& first_partition) {
  Membership membership{account_of(cluster, spec, first_partition), spec.qos};
  if (auto ok = may_use_account(cluster, spec, membership.account, first_partition); !ok)
    return std::unexpected(ok.error());
  if (membership.qos.empty()) {
    membership.qos = kDefaultQos;
    if (const Association* own =
            association_in(cluster, spec.user_name, membership.account, first_partition)) {
      const auto line = line_of(*cluster.associations, *own);
      const auto allowed = inherited(line, &Association::qos);
      if (allowed.size() == 1) membership.qos = allowed.front();
      if (Text preset = inherited(line, &Association::default_qos); !preset.empty())
        membership.qos = preset;
    }
  }
  if (auto ok = may_use_qos(cluster, spec, membership, first_partition); !ok)
    return std::unexpected(ok.error());
  return membership;
}

}  // namespace muster::controller
