// See follow.h.
#include "controller/accounts/follow.h"

#include <algorithm>
#include <set>

#include "base/text/strings.h"
#include "controller/jobs/usage.h"

namespace muster::controller {

namespace {

struct Follower {
  Ledger& ledger;
  // What was named, where the news are all there is.
  std::set<AssociationKey> associations;
  std::set<Text> qos, users, accounts;
  std::set<std::pair<Text, Text>> wckeys;  // user, key

  const Cluster& cluster() const { return ledger.cluster(); }
  bool is_own(const Text& name) const {  // sites know their clusters in lower case
    return iequals(name, ledger.settings().cluster_name);
  }

  void operator()(const AssociationRow& row) {
    if (!is_own(row.cluster) || row.times.deleted) return remove_association(row);
    associations.insert(row.association.key);
    const Association* known = find_association(*cluster().associations, row.association.key);
    if (!known || *known != row.association)
      ledger.record(AssociationChanged{.association = row.association});
  }
  void remove_association(const AssociationRow& row) {
    if (is_own(row.cluster)) remove(row.association.key);
  }
  void remove(const AssociationKey& key) {
    if (find_association(*cluster().associations, key))
      ledger.record(AssociationChanged{.association = {.key = key}, .removed = true});
  }

  // Those of the configuration are there already.
  void operator()(const QosRow& row) {
    const auto& known = *cluster().qos;
    auto at = std::ranges::find(known, row.qos.name, &Qos::name);
    const bool wanted = !row.times.deleted && row.defined_in.empty();
    if (wanted) qos.insert(row.qos.name);
    if (wanted ? at == known.end() || *at != row.qos : at != known.end())
      ledger.record(QosChanged{.qos = row.qos, .removed = !wanted});
  }

  UserAccess access_of(const Text& user) const {
    const UserAccess* known = cluster().find_user(user);
    return known ? *known : UserAccess{.user = user};
  }
  void put(const UserAccess& access) {
    if (access_of(access.user) != access) ledger.record(UserAccessChanged{access});
  }
  void operator()(const UserRow& row) {
    UserAccess access = access_of(row.name);
    access.admin_level = row.times.deleted ? AdminLevel::none : row.admin_level;
    users.insert(row.name);
    put(access);
  }
  void operator()(const WckeyRow& row) {
    if (!is_own(row.cluster)) return;
    UserAccess access = access_of(row.user);
    auto at = std::ranges::lower_bound(access.wckeys, row.name);
    const bool known = at != access.wckeys.end() && *at == row.name;
    if (row.times.deleted && known) access.wckeys.erase(at);
    if (!row.times.deleted && !known) access.wckeys.insert(at, row.name);
    if (!row.times.deleted) wckeys.emplace(row.user, row.name);
    if (row.is_default && !row.times.deleted)
      access.default_wckey = row.name;
    else if (access.default_wckey == row.name)
      access.default_wckey = {};
    put(access);
  }

  void operator()(const AccountRow& row) {
    accounts.insert(row.name);
    put(Coordinators{row.name, row.times.deleted ? std::vector<Text>() : row.coordinators});
  }
  void put(const Coordinators& wanted) {
    const auto& all = *cluster().coordinators;
    auto known = std::ranges::find(all, wanted.account, &Coordinators::account);
    if (known == all.end() ? !wanted.users.empty() : *known != wanted)
      ledger.record(CoordinatorsChanged{wanted});
  }

  void operator()(const ClusterRow&) {}
  void operator()(const TresRow&) {}
  void operator()(const ResourceRow&) {}

  void remove_unnamed() {
    for (const Association& known : std::vector(*cluster().associations))
      if (!associations.contains(known.key)) remove(known.key);
    for (const Qos& known : std::vector(*cluster().qos))
      if (!qos.contains(known.name)) ledger.record(QosChanged{.qos = known, .removed = true});
    for (const Coordinators& known : std::vector(*cluster().coordinators))
      if (!accounts.contains(known.account)) put(Coordinators{known.account, {}});
    for (UserAccess known : std::vector(*cluster().users)) {
      if (!users.contains(known.user)) known.admin_level = AdminLevel::none;
      std::erase_if(known.wckeys,
                    [&](const Text& key) { return !wckeys.contains({known.user, key}); });
      if (!wckeys.contains({known.user, known.default_wckey})) known.default_wckey = {};
      put(known);
    }
  }
};

// What running jobs have used until now is counted first, so that it is not counted afterwards.
void forget_usage(Ledger& ledger, const std::vector<ForgottenUsage>& resets) {
  count_usage(ledger, ledger.now());
  UsageCounted forgotten{.as_of = (*ledger.cluster().usage).as_of, .reset = false, .changed = {}};
  for (const ForgottenUsage& reset : resets)
    if ((reset.cluster.empty() || iequals(reset.cluster, ledger.settings().cluster_name)) &&
        (*ledger.cluster().usage).past.contains(reset.owner))
      forgotten.changed[reset.owner] = PastUse{.as_of = forgotten.as_of};
  if (!forgotten.changed.empty()) ledger.record(std::move(forgotten));
}

}  // namespace

void follow_accounts(Ledger& ledger, const AccountsNews& news) {
  Follower follower{ledger, {}, {}, {}, {}, {}};
  for (const SiteRow& row : news.rows) std::visit(follower, row);
  if (news.is_all) follower.remove_unnamed();
  if (!news.resets.empty()) forget_usage(ledger, news.resets);
  ledger.want_plan();
}

}  // namespace muster::controller
