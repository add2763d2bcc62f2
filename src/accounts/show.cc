// See show.h.
#include "accounts/show.h"

#include <algorithm>
#include <set>

#include "accounts/values.h"

namespace muster::accounts {

namespace {

using wire::AccountsRow;
using wire::AssociationShown;
using wire::Entity;

struct Shower {
  const Site& site;
  const Actor& actor;
  const PrivateData& hidden;
  const wire::AccountsRequest& request;
  Where where{request.where};
  std::vector<AccountsRow> rows;

  void run();

 private:
  bool sees_all() const { return operates(actor); }
  bool may_see(const Text& cluster, const AssociationKey& key) const;
  bool may_see_account(const Text& account) const;
  bool shows(const RowTimes& times) const { return !times.deleted || request.with_deleted; }
  bool is_meant(const AssociationRow& row) const;
  AssociationShown shown(const TreePlace& place, const Associations& all) const;
  template <class Wanted>
  std::vector<AssociationShown> associations(const Wanted& wanted) const;
  void clusters();
  void accounts();
  void users();
  void coordinators();
  void qos();
  void tres();
  void wckeys();
  void resources();
  void problems();
};

// Of others' associations only those in accounts that one coordinates.
bool Shower::may_see(const Text& cluster, const AssociationKey& key) const {
  if (sees_all()) return true;
  if (key.user.empty()) return may_see_account(key.account);
  return !hidden.users || key.user == actor.name || coordinates(site, actor, cluster, key.account);
}

// With PrivateData=accounts only those that one is in, or coordinates.
bool Shower::may_see_account(const Text& account) const {
  if (sees_all() || !hidden.accounts) return true;
  return std::ranges::any_of(site.associations, [&](const auto& entry) {
    if (coordinates(site, actor, entry.first, account)) return true;
    auto own = entry.second.lower_bound({.account = account, .user = actor.name, .partition = {}});
    return own != entry.second.end() && own->first.account == account &&
           own->first.user == actor.name;
  });
}

bool Shower::is_meant(const AssociationRow& row) const {
  const Association& a = row.association;
  const Associations& all = associations_of(site, row.cluster);
  const auto accounts = where.names("Account");
  const bool in_account =
      where.allows("Account", a.key.account) ||
      (request.with_sub_accounts && std::ranges::any_of(accounts, [&](const Text& above) {
         return is_within(all, a.key.account, above);
       }));
  return in_account && shows(row.times) && where.allows("User", a.key.user) &&
         where.allows("Cluster", row.cluster) && where.allows("Partition", a.key.partition) &&
         where.allows("ID", std::to_string(row.id)) &&
         where.allows("Parent", a.is_user() ? Text() : account_above(a)) &&
         where.allows_any("QOS", usable_qos(all, a)) && where.allows("DefaultQOS", a.default_qos) &&
         (!request.only_defaults || a.is_default) && may_see(row.cluster, a.key);
}

AssociationShown Shower::shown(const TreePlace& place, const Associations& all) const {
  AssociationShown one{*place.row, place.lft, place.rgt, place.depth, place.parent_id};
  if (!request.own_limits) one.row.association = with_inherited(all, place.row->association);
  return one;
}

template <class Wanted>
std::vector<AssociationShown> Shower::associations(const Wanted& wanted) const {
  std::vector<AssociationShown> found;
  for (const auto& [cluster, all] : site.associations) {
    for (const TreePlace& place : tree_of(all))
      if (wanted(*place.row)) found.push_back(shown(place, all));
    if (!request.with_deleted) continue;
    for (const auto& [key, row] : all)
      if (row.times.deleted && wanted(row)) found.push_back({.row = row});
  }
  return found;
}

void Shower::clusters() {
  for (const auto& [name, row] : site.clusters) {
    if (!shows(row.times) || !where.allows("Name", name) ||
        !where.allows("ID", std::to_string(row.id)) ||
        !where.allows("Classification", row.classification))
      continue;
    wire::ClusterShown one{.row = row, .root = {}};
    const Associations& all = associations_of(site, name);
    auto root = all.find({.account = kRootAccount, .user = {}, .partition = {}});
    if (root != all.end())
      one.root = shown({.row = &root->second,
                        .lft = 1,
                        .rgt = static_cast<std::uint32_t>(2 * tree_of(all).size())},
                       all);
    rows.emplace_back(std::move(one));
  }
}

void Shower::accounts() {
  const bool by_place = where.has("Cluster") || where.has("Parent");
  const bool wants_all = request.with_associations || by_place;
  std::map<Text, std::vector<AssociationShown>> members;
  if (wants_all)
    for (AssociationShown& one : associations([&](const AssociationRow& row) {
           const Association& a = row.association;
           return shows(row.times) && where.allows("Cluster", row.cluster) &&
                  (a.is_user() || where.allows("Parent", account_above(a))) &&
                  may_see(row.cluster, a.key);
         }))
      members[one.row.association.key.account].push_back(std::move(one));
  for (const auto& [name, row] : site.accounts) {
    if (!shows(row.times) || !where.allows("Name", name) ||
        !where.allows("Description", row.description) ||
        !where.allows("Organization", row.organization) || !may_see_account(name))
      continue;
    auto own = members.find(name);
    const bool is_placed = own != members.end() && !own->second.front().row.association.is_user();
    if (by_place && !is_placed) continue;
    wire::AccountShown one{.row = row, .associations = {}};
    if (request.with_associations && own != members.end())
      one.associations = std::move(own->second);
    rows.emplace_back(std::move(one));
  }
}

void Shower::users() {
  std::map<Text, std::vector<AssociationShown>> members;
  for (AssociationShown& one : associations([&](const AssociationRow& row) {
         const Association& a = row.association;
         return a.is_user() && shows(row.times) && where.allows("Cluster", row.cluster) &&
                may_see(row.cluster, a.key);
       }))
    members[one.row.association.key.user].push_back(std::move(one));
  const bool by_place =
      where.has("Account") || where.has("Partition") || where.has("DefaultAccount");
  for (const auto& [name, row] : site.users) {
    if (!shows(row.times) || !where.allows("Name", name) ||
        !where.allows("AdminLevel", admin_level_name(row.admin_level)))
      continue;
    wire::UserShown one{.row = row,
                        .default_account = {},
                        .default_wckey = {},
                        .coordinates = {},
                        .associations = std::move(members[name])};
    if (hidden.users && !sees_all() && name != actor.name && one.associations.empty()) continue;
    for (const AssociationShown& a : one.associations)
      if (a.row.association.is_default && !a.row.times.deleted &&
          (one.default_account.empty() || one.default_account.back().first != a.row.cluster))
        one.default_account.emplace_back(a.row.cluster, a.row.association.key.account);
    for (const auto& [key, wckey] : site.wckeys)
      if (key.user == name && wckey.is_default && !wckey.times.deleted)
        one.default_wckey.emplace_back(key.cluster, key.name);
    for (const auto& [account, listed] : site.accounts)
      if (std::ranges::binary_search(listed.coordinators, name)) one.coordinates.push_back(account);
    std::erase_if(one.associations, [&](const AssociationShown& a) {
      const AssociationKey& key = a.row.association.key;
      return !where.allows("Account", key.account) || !where.allows("Partition", key.partition) ||
             (where.has("DefaultAccount") &&
              (!a.row.association.is_default || !where.allows("DefaultAccount", key.account)));
    });
    if ((by_place || where.has("Cluster")) && one.associations.empty()) continue;
    if (!request.with_associations) one.associations.clear();
    rows.emplace_back(std::move(one));
  }
}

void Shower::coordinators() {
  for (const auto& [name, row] : site.accounts) {
    if (row.times.deleted || row.coordinators.empty() || !where.allows("Account", name) ||
        !where.allows_any("Name", row.coordinators) || !may_see_account(name))
      continue;
    wire::AccountShown one{.row = row, .associations = {}};
    std::erase_if(one.row.coordinators,
                  [&](const Text& user) { return !where.allows("Name", user); });
    rows.emplace_back(std::move(one));
  }
}

void Shower::qos() {
  std::vector<QosRow> found;
  for (const auto& [name, row] : site.qos)
    if (shows(row.times) && where.allows("Name", name) &&
        where.allows("ID", std::to_string(row.id)) &&
        where.allows("Description", row.qos.description) &&
        where.allows("PreemptMode", row.qos.preempt_mode))
      found.push_back(row);
  std::ranges::sort(found, {}, &QosRow::id);
  for (QosRow& row : found) rows.emplace_back(std::move(row));
}

void Shower::tres() {
  std::vector<TresRow> found;
  for (const auto& [key, row] : site.tres)
    if (where.allows("Type", row.type) && where.allows("Name", row.name) &&
        where.allows("ID", std::to_string(row.id)))
      found.push_back(row);
  std::ranges::sort(found, {}, &TresRow::id);
  for (TresRow& row : found) rows.emplace_back(std::move(row));
}

void Shower::wckeys() {
  for (const auto& [key, row] : site.wckeys) {
    const bool visible = !hidden.users || sees_all() || key.user == actor.name;
    if (visible && shows(row.times) && where.allows("Name", key.name) &&
        where.allows("User", key.user) && where.allows("Cluster", key.cluster) &&
        where.allows("ID", std::to_string(row.id)))
      rows.emplace_back(row);
  }
}

void Shower::resources() {
  for (const auto& [key, row] : site.resources) {
    const bool on_cluster =
        !where.has("Cluster") || std::ranges::any_of(row.allowed_percent, [&](const auto& share) {
          return where.allows("Cluster", share.first);
        });
    if (on_cluster && shows(row.times) && where.allows("Name", row.name) &&
        where.allows("Server", row.server) && where.allows("ID", std::to_string(row.id)))
      rows.emplace_back(row);
  }
}

void Shower::problems() {
  for (const auto& [cluster, all] : site.associations) {
    const std::vector<TreePlace> places = tree_of(all);
    for (std::size_t i = 0; i < places.size(); ++i) {
      const Association& a = places[i].row->association;
      const AssociationKey& key = a.key;
      if (a.is_user() || a.is_root() || !where.allows("Account", key.account) ||
          !where.allows("Cluster", cluster) || where.has("User") || !may_see(cluster, key))
        continue;
      bool has_users = false;  // what is below it follows it
      for (std::size_t j = i + 1; j < places.size() && places[j].lft < places[i].rgt; ++j)
        if ((has_users = places[j].row->association.is_user())) break;
      if (!has_users)
        rows.emplace_back(wire::ProblemShown{shown(places[i], all), "Account has no users"});
    }
  }
  for (const auto& [name, row] : site.users) {
    if (row.times.deleted || !where.allows("User", name) || where.has("Account") || !sees_all())
      continue;
    const bool is_member = std::ranges::any_of(site.associations, [&](const auto& entry) {
      return std::ranges::any_of(entry.second, [&](const auto& association) {
        return association.first.user == name && !association.second.times.deleted;
      });
    });
    if (is_member) continue;
    wire::ProblemShown problem{.association = {}, .problem = "User has no associations"};
    problem.association.row.association.key.user = name;
    rows.emplace_back(std::move(problem));
  }
}

void Shower::run() {
  switch (request.entity) {
    case Entity::cluster:
      return clusters();
    case Entity::account:
      return accounts();
    case Entity::user:
      return users();
    case Entity::coordinator:
      return coordinators();
    case Entity::association:
      for (AssociationShown& one :
           associations([&](const AssociationRow& row) { return is_meant(row); }))
        rows.emplace_back(std::move(one));
      return;
    case Entity::qos:
      return qos();
    case Entity::tres:
      return tres();
    case Entity::wckey:
      return wckeys();
    case Entity::resource:
      return resources();
    case Entity::problem:
      return problems();
    default:
      return;
  }
}

}  // namespace

Association with_inherited(const Associations& all, const Association& association) {
  std::vector<const Association*> line{&association};
  for (Text at = account_above(association); !at.empty() && line.size() <= kMaxTreeDepth + 1;) {
    auto above = all.find({.account = at, .user = {}, .partition = {}});
    if (above == all.end()) break;
    line.push_back(&above->second.association);
    at = account_above(above->second.association);
  }
  Association whole = association;
  whole.limits = inherited_limits(line);
  whole.qos = usable_qos(all, association);
  for (const Association* above : line)
    if (whole.default_qos.empty()) whole.default_qos = above->default_qos;
  return whole;
}

bool is_meant(const wire::AccountsRequest& request, const TransactionRow& row) {
  const Where where(request.where);
  return where.allows("Action", row.action) && where.allows("Actor", row.actor) &&
         where.allows("ID", std::to_string(row.id)) && where.allows("Cluster", row.cluster) &&
         where.allows_any("Account", row.accounts) && where.allows_any("User", row.users) &&
         (!is_set(request.start) || row.at >= request.start) &&
         (!is_set(request.end) || row.at <= request.end);
}

Outcome<std::vector<wire::AccountsRow>> show(const Site& site, const Actor& actor,
                                             const PrivateData& hidden,
                                             const wire::AccountsRequest& request) {
  Shower shower{.site = site, .actor = actor, .hidden = hidden, .request = request, .rows = {}};
  shower.run();
  return std::move(shower.rows);
}

}  // namespace muster::accounts
