// Accounts: what associations hang on.
#include <algorithm>

#include "accounts/associations.h"
#include "accounts/command.h"
#include "accounts/values.h"
#include "base/text/strings.h"

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

AssociationKey key_of_account(const Text& account) {
  return {.account = account, .user = {}, .partition = {}};
}

AccountRow new_account(const Command& command, const Text& name, const Text& parent) {
  AccountRow row{.name = name,
                 .description = command.value("Description"),
                 .organization = command.value("Organization"),
                 .coordinators = {},
                 .times = {.created = command.now, .modified = command.now}};
  if (row.description.empty()) row.description = name;
  if (row.organization.empty()) row.organization = parent == kRootAccount ? name : parent;
  return row;
}

Outcome<> add_account(const Command& command, const Text& name, const Text& parent,
                      const std::vector<Text>& clusters) {
  const Site& site = command.site();
  const AccountRow* known = find_account(site, name);
  if (!known) {
    command.draft.put(new_account(command, name, parent));
    command.tell(AccountsVerb::add, Entity::account, name,
                 told_settings(command, settings_of(Entity::account)));
  }
  bool is_new = !known;
  for (const Text& cluster : clusters) {
    if (!find_association(site, cluster, key_of_account(parent)))
      return refuse(
          find_account(site, parent) ? Problem::unknown_association : Problem::unknown_account,
          Entity::account, parent, cluster.str());
    if (!may_manage(site, command.actor, cluster, parent))
      return refuse(Problem::denied, Entity::account, "coordinator or operator");
    auto added = add_association(
        command, cluster,
        {.key = key_of_account(name), .parent = parent == kRootAccount ? Text() : parent});
    if (!added) return std::unexpected(added.error());
    is_new = is_new || *added;
  }
  if (!is_new) command.note(Problem::exists, Entity::account, name);
  return {};
}

// Whether the row is meant by what the command says about accounts themselves.
bool is_meant(const Command& command, const AccountRow& row) {
  return !row.times.deleted && command.where.allows("Name", row.name) &&
         command.where.allows("Description", row.description) &&
         command.where.allows("Organization", row.organization);
}

bool is_meant(const Command& command, const AssociationRow& row) {
  return !row.times.deleted && !row.association.is_user() &&
         command.where.allows("Name", row.association.key.account) &&
         command.where.allows("Parent", account_above(row.association));
}

Outcome<> modify_row(const Command& command, AccountRow row) {
  const AccountRow old = row;
  if (auto* setting = command.setting("Description")) row.description = setting->value;
  if (auto* setting = command.setting("Organization")) row.organization = setting->value;
  const auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  const bool may = std::ranges::any_of(*clusters, [&](const Text& cluster) {
    return may_manage(command.site(), command.actor, cluster, row.name);
  });
  if (!may) return refuse(Problem::denied, Entity::account, "coordinator or operator");
  command.tell(AccountsVerb::modify, Entity::account, row.name);
  if (row == old) return {};
  row.times.modified = command.now;
  command.draft.put(row);
  return {};
}

Outcome<> move(const Command& command, AssociationRow row, const Text& parent) {
  const Site& site = command.site();
  const Associations& all = associations_of(site, row.cluster);
  const Text& name = row.association.key.account;
  if (row.association.is_root()) return refuse(Problem::is_root, Entity::account, name);
  if (!find_association(site, row.cluster, key_of_account(parent)))
    return refuse(Problem::unknown_account, Entity::account, parent, row.cluster.str());
  if (is_within(all, parent, name)) return refuse(Problem::own_child, Entity::account, name);
  if (account_above(row.association) == parent) return {};
  if (!may_manage(site, command.actor, row.cluster, parent))
    return refuse(Problem::denied, Entity::account, "coordinator or operator");
  row.association.parent = parent == kRootAccount ? Text() : parent;
  row.placed = command.draft.next_place();
  put_changed(command, row);
  if (deepest(associations_of(site, row.cluster)) > kMaxTreeDepth)
    return refuse(Problem::too_many, Entity::account, name, "accounts are nested too deep");
  return {};
}

// A coordinator of an account decides about what is below it, not about the account itself.
bool may_change_limits(const Command& command, const AssociationRow& row) {
  return operates(command.actor) ||
         (!row.association.is_root() &&
          coordinates(command.site(), command.actor, row.cluster, account_above(row.association)));
}

Outcome<> modify_association(const Command& command, const AssociationRow& row) {
  if (!may_change_limits(command, row))
    return refuse(Problem::denied, Entity::account, "coordinator or operator");
  if (auto* parent = command.setting("Parent")) {
    Text name = lower(parent->value);
    if (name.empty()) name = kRootAccount;
    if (auto ok = move(command, row, name); !ok) return ok;
  }
  if (!sets_association(command)) return {};
  return change_association(command,
                            *find_association(command.site(), row.cluster, row.association.key));
}

}  // namespace

Outcome<> add_accounts(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  if (clusters->empty()) return refuse(Problem::missing, Entity::cluster, "Cluster");
  Text parent = lower(command.value("Parent"));
  if (parent.empty()) parent = kRootAccount;
  for (const Text& name : *names)
    if (auto ok = add_account(command, name, parent, *clusters); !ok) return ok;
  return {};
}

Outcome<> modify_accounts(const Command& command) {
  note_unknown(command, Entity::account);
  const bool sets_row = command.setting("Description") || command.setting("Organization");
  for (const AccountRow& row : values_of(command.site().accounts))
    if (sets_row && is_meant(command, row))
      if (auto ok = modify_row(command, row); !ok) return ok;
  if (!sets_association(command) && !command.setting("Parent")) return {};
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  for (const Text& cluster : *clusters)
    for (const AssociationRow& row : values_of(associations_of(command.site(), cluster))) {
      const AccountRow* account = find_account(command.site(), row.association.key.account);
      if (!account || !is_meant(command, *account) || !is_meant(command, row)) continue;
      if (auto ok = modify_association(command, row); !ok) return ok;
    }
  return {};
}

Outcome<> remove_accounts(const Command& command) {
  note_unknown(command, Entity::account);
  auto clusters = clusters_of(command);
  if (!clusters) return std::unexpected(clusters.error());
  std::vector<AccountRow> meant;
  for (const AccountRow& row : values_of(command.site().accounts))
    if (is_meant(command, row)) meant.push_back(row);
  if (command.where.has("Name") &&
      std::ranges::find(meant, Text(kRootAccount), &AccountRow::name) != meant.end())
    return refuse(Problem::is_root, Entity::account, kRootAccount);
  std::erase_if(meant, [](const AccountRow& row) { return row.name == kRootAccount; });
  for (const Text& cluster : *clusters) {
    std::set<AssociationKey> keys;
    for (const AccountRow& account : meant) {
      const AssociationRow* row =
          find_association(command.site(), cluster, key_of_account(account.name));
      if (!row || !is_meant(command, *row)) continue;
      if (!may_change_limits(command, *row))
        return refuse(Problem::denied, Entity::account, "coordinator or operator");
      keys.insert(row->association.key);
    }
    if (keys.empty()) continue;
    if (auto ok = remove_associations(command, cluster, keys); !ok) return ok;
  }
  std::set<Text> names;
  if (!command.where.has("Cluster"))
    for (const AccountRow& account : meant) names.insert(account.name);
  forget_unused(command, {}, std::move(names));
  return {};
}

}  // namespace muster::accounts
