// Coordinators: users who decide about an account and what is below it.
#include "accounts/coordinators.h"

#include <algorithm>

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

// Who may name coordinators of an account: operators, and whoever coordinates it on some cluster.
bool may_name(const Command& command, const Text& account) {
  return operates(command.actor) ||
         std::ranges::any_of(command.site().clusters, [&](const auto& cluster) {
           return coordinates(command.site(), command.actor, cluster.first, account);
         });
}

Outcome<std::vector<Text>> accounts_of(const Command& command) {
  std::vector<Text> known;
  for (const Text& account : command.where.names("Account")) {
    if (!find_account(command.site(), account)) {
      command.note(Problem::unknown_account, Entity::account, account);
      continue;
    }
    if (!may_name(command, account))
      return refuse(Problem::denied, Entity::coordinator, "coordinator or operator");
    known.push_back(account);
  }
  return known;
}

// The accounts whose list changed.
std::vector<Text> change(const Command& command, const Text& user,
                         const std::vector<Text>& accounts, bool is_wanted) {
  std::vector<Text> changed;
  for (const Text& account : accounts) {
    AccountRow row = *find_account(command.site(), account);
    auto& list = row.coordinators;
    const auto at = std::ranges::lower_bound(list, user);
    const bool is_there = at != list.end() && *at == user;
    if (is_there == is_wanted) continue;
    if (is_wanted)
      list.insert(at, user);
    else
      list.erase(at);
    row.times.modified = command.now;
    command.draft.put(row);
    changed.push_back(account);
  }
  return changed;
}

void tell(const Command& command, AccountsVerb verb, const Text& user, std::vector<Text> accounts) {
  command.draft.tell(
      {.verb = verb, .entity = Entity::coordinator, .name = user, .accounts = std::move(accounts)});
}

}  // namespace

Outcome<> add_coordinators(const Command& command) {
  auto users = names_of(command);
  if (!users) return std::unexpected(users.error());
  if (!command.where.has("Account")) return refuse(Problem::missing, Entity::account, "Account");
  auto accounts = accounts_of(command);
  if (!accounts) return std::unexpected(accounts.error());
  for (const Text& user : *users) {
    if (!find_user(command.site(), user)) {
      command.note(Problem::unknown_user, Entity::user, user);
      continue;
    }
    if (auto changed = change(command, user, *accounts, true); !changed.empty())
      tell(command, AccountsVerb::add, user, std::move(changed));
    else
      command.note(Problem::exists, Entity::coordinator, user);
  }
  return {};
}

// Without names: all of these accounts'; without accounts: of all that they coordinate.
Outcome<> remove_coordinators(const Command& command) {
  if (!command.where.has("Name") && !command.where.has("Account"))
    return refuse(Problem::missing, Entity::coordinator, "Name");
  std::vector<Text> users = command.where.names("Name");
  const bool all_users = users.empty();
  std::vector<Text> accounts;
  if (command.where.has("Account")) {
    auto known = accounts_of(command);
    if (!known) return std::unexpected(known.error());
    accounts = std::move(*known);
  } else {
    for (const AccountRow& row : values_of(command.site().accounts))
      if (!row.times.deleted && may_name(command, row.name)) accounts.push_back(row.name);
  }
  if (all_users)
    for (const Text& account : accounts)
      for (const Text& user : find_account(command.site(), account)->coordinators)
        users.push_back(user);
  for (const Text& user : users)
    if (auto changed = change(command, user, accounts, false); !changed.empty())
      tell(command, AccountsVerb::remove, user, std::move(changed));
  return {};
}

void forget_coordinator(const Command& command, const Text& user) {
  std::vector<Text> accounts;
  for (const auto& [name, row] : command.site().accounts) accounts.push_back(name);
  std::erase_if(accounts, [&](const Text& a) { return !find_account(command.site(), a); });
  change(command, user, accounts, false);
}

}  // namespace muster::accounts
