// Users: each is in accounts, of which one is the default, and may have keys to charge work to.
#include <algorithm>

#include "accounts/associations.h"
#include "accounts/command.h"
#include "accounts/values.h"
#include "accounts/wckeys.h"
#include "base/text/strings.h"

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

std::unexpected<Note> denied() {
  return refuse(Problem::denied, Entity::user, "coordinator or operator");
}

// Where users are to be put: clusters, accounts and partitions of an `add`.
struct Places {
  std::vector<Text> clusters, accounts, partitions;
  Text default_account;
};

Outcome<Places> places_of(const Command& command) {
  Places places;
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  places.clusters = std::move(*clusters);
  places.accounts = command.where.names("Account");
  places.partitions = command.where.names("Partition");
  if (places.partitions.empty()) places.partitions = {Text()};
  places.default_account = lower(command.value("DefaultAccount"));
  if (!places.default_account.empty() &&
      std::ranges::find(places.accounts, places.default_account) == places.accounts.end())
    places.accounts.push_back(places.default_account);
  return places;
}

// The accounts of those asked for that are there on the cluster; what is not, is noted.
Outcome<std::vector<Text>> known_accounts(const Command& command, const Places& places,
                                          const Text& cluster) {
  std::vector<Text> known;
  for (const Text& account : places.accounts) {
    const Site& site = command.site();
    if (!find_account(site, account)) {
      command.note(Problem::unknown_account, Entity::account, account);
    } else if (!find_association(site, cluster,
                                 {.account = account, .user = {}, .partition = {}})) {
      command.note(Problem::unknown_association, Entity::account, account, cluster.str());
    } else {
      if (!may_manage(site, command.actor, cluster, account)) return denied();
      known.push_back(account);
    }
  }
  return known;
}

bool has_default(const Site& site, const Text& cluster, const Text& user) {
  return std::ranges::any_of(associations_of(site, cluster), [&](const auto& entry) {
    const AssociationRow& row = entry.second;
    return entry.first.user == user && row.association.is_default && !row.times.deleted;
  });
}

Outcome<bool> add_to_cluster(const Command& command, const Places& places, const Text& cluster,
                             const Text& user, const std::vector<Text>& accounts) {
  bool any = false;
  const bool had_default = has_default(command.site(), cluster, user);
  for (const Text& account : accounts)
    for (const Text& partition : places.partitions) {
      auto added = add_association(
          command, cluster, {.key = {.account = account, .user = user, .partition = partition}});
      if (!added) return std::unexpected(added.error());
      any = any || *added;
    }
  if (!accounts.empty() && (!had_default || !places.default_account.empty())) {
    const bool wanted = std::ranges::find(accounts, places.default_account) != accounts.end();
    set_default_account(command, cluster, user, wanted ? places.default_account : accounts.front());
  }
  return any;
}

Outcome<> put_user(const Command& command, const Text& name) {
  const UserRow* known = find_user(command.site(), name);
  UserRow row =
      known ? *known
            : UserRow{.name = name, .times = {.created = command.now, .modified = command.now}};
  if (auto* setting = command.setting("AdminLevel")) {
    auto level = parse_admin_level(*setting);
    if (!level) return std::unexpected(level.error());
    if (*level != row.admin_level && !operates(command.actor))
      return refuse(Problem::denied, Entity::user, "operator");
    if (std::max(*level, row.admin_level) > command.actor.level && *level != row.admin_level)
      return refuse(Problem::denied, Entity::user, "administrator");
    row.admin_level = *level;
  }
  if (known && *known == row) return {};
  row.times.modified = command.now;
  command.draft.put(row);
  return {};
}

Outcome<> add_user(const Command& command, const Places& places, const Text& name,
                   const std::vector<std::pair<Text, std::vector<Text>>>& accounts) {
  const bool is_known = find_user(command.site(), name) != nullptr;
  const bool anywhere =
      std::ranges::any_of(accounts, [](const auto& at) { return !at.second.empty(); });
  if (!is_known && !anywhere) return {};  // what was asked for is noted
  if (!is_known)
    command.tell(AccountsVerb::add, Entity::user, name,
                 told_settings(command, settings_of(Entity::user)));
  bool any = !is_known;
  if (auto ok = put_user(command, name); !ok) return ok;
  for (const auto& [cluster, known] : accounts) {
    auto added = add_to_cluster(command, places, cluster, name, known);
    if (!added) return std::unexpected(added.error());
    any = any || *added;
    auto keys = change_wckeys(command, cluster, name);
    if (!keys) return std::unexpected(keys.error());
    any = any || *keys;
  }
  if (!any) command.note(Problem::exists, Entity::user, name);
  return {};
}

// --- modify ---

bool has_association_conditions(const Command& command) {
  return command.where.has("Account") || command.where.has("Cluster") ||
         command.where.has("Partition");
}

bool is_meant_user(const Command& command, const AssociationRow& row) {
  const AssociationKey& key = row.association.key;
  return !row.times.deleted && row.association.is_user() &&
         command.where.allows("Name", key.user) && command.where.allows("Account", key.account) &&
         command.where.allows("Cluster", row.cluster) &&
         command.where.allows("Partition", key.partition);
}

bool has_meant_default(const Command& command, const Text& user) {
  if (!command.where.has("DefaultAccount")) return true;
  for (const auto& [cluster, all] : command.site().associations)
    for (const auto& [key, row] : all)
      if (key.user == user && row.association.is_default && !row.times.deleted &&
          command.where.allows("Cluster", cluster) &&
          command.where.allows("DefaultAccount", key.account))
        return true;
  return false;
}

bool is_meant(const Command& command, const UserRow& row) {
  return !row.times.deleted && command.where.allows("Name", row.name) &&
         command.where.allows("AdminLevel", admin_level_name(row.admin_level)) &&
         has_meant_default(command, row.name) && has_meant_wckey(command, row.name);
}

Outcome<> change_default_account(const Command& command, const Text& user,
                                 const std::vector<Text>& clusters, bool& any) {
  auto* setting = command.setting("DefaultAccount");
  if (!setting) return {};
  const Text account = lower(setting->value);
  if (!find_account(command.site(), account))
    return refuse(Problem::unknown_account, Entity::account, account);
  bool is_member = false;
  for (const Text& cluster : clusters) {
    if (user != command.actor.name && !may_manage(command.site(), command.actor, cluster, account))
      return denied();
    const std::size_t before = command.draft.size();
    is_member = set_default_account(command, cluster, user, account) || is_member;
    any = any || command.draft.size() != before;
  }
  if (!is_member) return refuse(Problem::unknown_association, Entity::user, user, account.str());
  return {};
}

// One's own default key one may choose; otherwise whoever manages an account of the user.
bool may_change_wckeys(const Command& command, const Text& cluster, const Text& user) {
  if (!command.setting("WCKey") && (!command.setting("DefaultWCKey") || user == command.actor.name))
    return true;
  return operates(command.actor) ||
         std::ranges::any_of(associations_of(command.site(), cluster), [&](const auto& entry) {
           return entry.first.user == user && !entry.second.times.deleted &&
                  coordinates(command.site(), command.actor, cluster, entry.first.account);
         });
}

Outcome<> modify_user(const Command& command, const UserRow& row,
                      const std::vector<Text>& clusters) {
  bool any = false;
  const std::size_t before = command.draft.size();
  if (auto ok = put_user(command, row.name); !ok) return ok;
  any = command.draft.size() != before;
  if (auto ok = change_default_account(command, row.name, clusters, any); !ok) return ok;
  for (const Text& cluster : clusters) {
    if (!may_change_wckeys(command, cluster, row.name)) return denied();
    auto keys = change_wckeys(command, cluster, row.name);
    if (!keys) return std::unexpected(keys.error());
    any = any || *keys;
  }
  if (any) command.tell(AccountsVerb::modify, Entity::user, row.name);
  return {};
}

// --- remove ---

Outcome<std::set<AssociationKey>> meant_associations(const Command& command, const Text& cluster,
                                                     const std::vector<UserRow>& users) {
  std::set<AssociationKey> keys;
  for (const auto& [key, row] : associations_of(command.site(), cluster)) {
    if (!is_meant_user(command, row)) continue;
    if (!std::ranges::binary_search(users, key.user, {}, &UserRow::name)) continue;
    if (!may_manage(command.site(), command.actor, cluster, key.account)) return denied();
    keys.insert(key);
  }
  return keys;
}

}  // namespace

Outcome<> add_users(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  auto places = places_of(command);
  if (!places) return std::unexpected(places.error());
  const bool is_known = std::ranges::all_of(
      *names, [&](const Text& name) { return find_user(command.site(), name) != nullptr; });
  if (places->accounts.empty() && !(is_known && command.setting("WCKey")))
    return refuse(Problem::missing, Entity::user, "Account");
  if (names->size() * places->accounts.size() * places->partitions.size() *
          places->clusters.size() >
      kMaxAssociationsAtOnce)
    return refuse(Problem::too_many, Entity::user, {}, std::to_string(kMaxAssociationsAtOnce));
  std::vector<std::pair<Text, std::vector<Text>>> accounts;
  for (const Text& cluster : places->clusters) {
    auto known = known_accounts(command, *places, cluster);
    if (!known) return std::unexpected(known.error());
    accounts.emplace_back(cluster, std::move(*known));
  }
  for (const Text& name : *names)
    if (auto ok = add_user(command, *places, name, accounts); !ok) return ok;
  return {};
}

Outcome<> modify_users(const Command& command) {
  note_unknown(command, Entity::user);
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  const bool sets_user = command.setting("AdminLevel") || command.setting("DefaultAccount") ||
                         command.setting("DefaultWCKey") || command.setting("WCKey");
  std::vector<UserRow> users = values_of(command.site().users);
  std::erase_if(users, [&](const UserRow& row) { return !is_meant(command, row); });
  if (sets_user)
    for (const UserRow& row : users)
      if (auto ok = modify_user(command, row, *clusters); !ok) return ok;
  if (!sets_association(command)) return {};
  for (const Text& cluster : *clusters)
    for (const AssociationRow& row : values_of(associations_of(command.site(), cluster))) {
      const Text& user = row.association.key.user;
      if (!is_meant_user(command, row) ||
          !std::ranges::binary_search(users, user, {}, &UserRow::name))
        continue;
      if (!may_manage(command.site(), command.actor, cluster, row.association.key.account))
        return denied();
      if (auto ok = change_association(command, row); !ok) return ok;
    }
  return {};
}

Outcome<> remove_users(const Command& command) {
  note_unknown(command, Entity::user);
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  std::vector<UserRow> users = values_of(command.site().users);
  std::erase_if(users, [&](const UserRow& row) { return !is_meant(command, row); });
  for (const UserRow& row : users)
    if (row.name == kRootAccount && !has_association_conditions(command))
      return refuse(Problem::is_root, Entity::user, row.name);
  for (const Text& cluster : *clusters) {
    auto keys = meant_associations(command, cluster, users);
    if (!keys) return std::unexpected(keys.error());
    if (keys->empty()) continue;
    if (auto ok = remove_associations(command, cluster, *keys); !ok) return ok;
  }
  std::set<Text> names;
  if (!has_association_conditions(command))
    for (const UserRow& row : users) names.insert(row.name);
  forget_unused(command, std::move(names), {});
  return {};
}

}  // namespace muster::accounts
