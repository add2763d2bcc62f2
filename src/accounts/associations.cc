// See associations.h.
#include "accounts/associations.h"

#include <algorithm>

#include <fmt/format.h>

#include "accounts/coordinators.h"
#include "accounts/values.h"
#include "accounts/wckeys.h"
#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::AccountsVerb;
using wire::Entity;

void tell(const Command& command, AccountsVerb verb, const AssociationRow& row) {
  command.draft.tell({.verb = verb,
                      .entity = Entity::association,
                      .cluster = row.cluster,
                      .association = row.association.key,
                      .parent = account_above(row.association)});
}

std::size_t depth_of(const Associations& all, const Association& association) {
  std::size_t depth = 0;
  Text at = account_above(association);
  for (; depth <= kMaxTreeDepth && !at.empty(); ++depth) {
    auto above = all.find({.account = at, .user = {}, .partition = {}});
    if (above == all.end()) break;
    at = account_above(above->second.association);
  }
  return depth;
}

std::vector<Text> lost_defaults(const Site& site, const Text& cluster,
                                const std::set<AssociationKey>& removed) {
  std::map<Text, bool> loses;  // by user; whether another association remains
  const Associations& all = associations_of(site, cluster);
  for (const AssociationKey& key : removed)
    if (all.at(key).association.is_default) loses[key.user] = false;
  if (loses.empty()) return {};
  for (const auto& [key, row] : all)
    if (auto at = loses.find(key.user);
        at != loses.end() && !row.times.deleted && !removed.contains(key))
      at->second = at->second || !row.association.is_default;
  std::vector<Text> users;
  for (const auto& [user, keeps_others] : loses)
    if (keeps_others) users.push_back(user);
  return users;
}

std::string job_list(const std::vector<JobId>& jobs) {
  std::vector<std::string> ids;
  for (JobId job : jobs) ids.push_back(std::to_string(job.value));
  return join(ids, ",");
}

}  // namespace

bool sets_association(const Command& command) {
  return std::ranges::any_of(command.request.settings, [](const wire::Setting& setting) {
    return is_association_setting(setting.key);
  });
}

Outcome<> apply_settings(const Command& command, const Text& cluster, Association& association) {
  const Site& site = command.site();
  for (const wire::Setting& setting : command.request.settings)
    if (is_association_setting(setting.key) && !iequals(setting.key, "RawUsage"))
      if (auto ok =
              set_association_value(site, associations_of(site, cluster), association, setting);
          !ok)
        return ok;
  return {};
}

Outcome<bool> add_association(const Command& command, const Text& cluster,
                              Association association) {
  const Site& site = command.site();
  const Associations& all = associations_of(site, cluster);
  auto old = all.find(association.key);
  if (old != all.end() && !old->second.times.deleted) return false;
  if (auto ok = apply_settings(command, cluster, association); !ok)
    return std::unexpected(ok.error());
  if (depth_of(all, association) > kMaxTreeDepth)
    return refuse(Problem::too_many, Entity::account, association.key.account,
                  fmt::format("accounts can be nested {} deep", kMaxTreeDepth));
  AssociationRow row{
      .cluster = cluster,
      .id = old == all.end() ? command.draft.next(&SiteNumbers::association) : old->second.id,
      .placed = command.draft.next_place(),
      .association = std::move(association),
      .comment = {},
      .times = {.created = command.now, .modified = command.now}};
  command.draft.put(row);
  tell(command, AccountsVerb::add, row);
  return true;
}

void put_changed(const Command& command, AssociationRow row) {
  const AssociationRow* old = find_association(command.site(), row.cluster, row.association.key);
  tell(command, AccountsVerb::modify, old ? *old : row);  // below the parent that it had
  if (old && *old == row) return;
  row.times.modified = command.now;
  command.draft.put(row);
}

Outcome<> change_association(const Command& command, const AssociationRow& row) {
  AssociationRow changed = row;
  if (auto ok = apply_settings(command, row.cluster, changed.association); !ok) return ok;
  put_changed(command, std::move(changed));
  return reset_usage(command, row);
}

Outcome<> reset_usage(const Command& command, const AssociationRow& row) {
  const wire::Setting* setting = command.setting("RawUsage");
  if (!setting) return {};
  if (auto ok = check_raw_usage(Entity::association, *setting); !ok) return ok;
  std::set<AssociationKey> keys{row.association.key};
  if (!row.association.is_user())
    add_all_below(command.site(), row.cluster, row.association.key.account, keys);
  for (const AssociationKey& key : keys)
    command.draft.reset_usage({row.cluster, {.qos = {}, .association = key}});
  tell(command, AccountsVerb::modify, row);
  return {};
}

void add_all_below(const Site& site, const Text& cluster, const Text& account,
                   std::set<AssociationKey>& keys) {
  const Associations& all = associations_of(site, cluster);
  for (const auto& [key, row] : all)
    if (!row.times.deleted && is_within(all, key.account, account)) keys.insert(key);
}

Outcome<> remove_associations(const Command& command, const Text& cluster,
                              std::set<AssociationKey> keys) {
  const std::set<AssociationKey> named = keys;
  for (const AssociationKey& key : named)
    if (key.user.empty()) add_all_below(command.site(), cluster, key.account, keys);
  for (const AssociationKey& key : keys)
    if (key.account == kRootAccount && (key.user.empty() || key.user == kRootAccount))
      return refuse(Problem::is_root, Entity::association, key.account);
  if (auto users = lost_defaults(command.site(), cluster, keys); !users.empty())
    return refuse(Problem::default_account, Entity::user, users.front(), cluster.str());
  if (auto jobs = command.around.jobs_in(cluster, keys); !jobs.empty())
    return refuse(Problem::jobs_active, Entity::association, cluster, job_list(jobs));
  for (const AssociationKey& key : keys) {
    AssociationRow row = *find_association(command.site(), cluster, key);
    tell(command, AccountsVerb::remove, row);
    // Whoever comes back begins without what was set before.
    row.association = {.key = key, .parent = row.association.parent};
    row.times.deleted = true;
    row.times.modified = command.now;
    command.draft.put(row);
  }
  return {};
}

namespace {

bool is_used(const Site& site, const Text& account, const Text& user) {
  for (const auto& [cluster, all] : site.associations)
    for (const auto& [key, row] : all)
      if (!row.times.deleted && (user.empty() ? key.account == account : key.user == user))
        return true;
  return false;
}

void forget_account(const Command& command, const Text& name) {
  const AccountRow* found = find_account(command.site(), name);
  if (!found || is_used(command.site(), name, {})) return;
  AccountRow row = *found;
  row.coordinators.clear();
  row.times.deleted = true;
  row.times.modified = command.now;
  command.draft.put(row);
  command.tell(AccountsVerb::remove, Entity::account, name);
}

void forget_user(const Command& command, const Text& name) {
  const UserRow* found = find_user(command.site(), name);
  if (!found || is_used(command.site(), {}, name)) return;
  UserRow row = *found;
  row.admin_level = AdminLevel::none;
  row.times.deleted = true;
  row.times.modified = command.now;
  command.draft.put(row);
  command.tell(AccountsVerb::remove, Entity::user, name);
  remove_wckeys(command, name);
  forget_coordinator(command, name);
}

}  // namespace

void forget_unused(const Command& command, std::set<Text> users, std::set<Text> accounts) {
  for (const SiteRow& row : command.draft.rows())
    if (auto* association = std::get_if<AssociationRow>(&row);
        association && association->times.deleted) {
      const AssociationKey& key = association->association.key;
      if (key.user.empty())
        accounts.insert(key.account);
      else
        users.insert(key.user);
    }
  for (const Text& account : accounts) forget_account(command, account);
  for (const Text& user : users) forget_user(command, user);
}

bool set_default_account(const Command& command, const Text& cluster, const Text& user,
                         const Text& account) {
  std::vector<AssociationRow> changed;
  bool is_member = false;
  for (const auto& [key, row] : associations_of(command.site(), cluster)) {
    if (row.times.deleted || key.user != user) continue;
    const bool wanted = key.account == account;
    is_member = is_member || wanted;
    if (row.association.is_default == wanted) continue;
    changed.push_back(row);
    changed.back().association.is_default = wanted;
  }
  if (!is_member) return false;
  for (AssociationRow& row : changed) {
    row.times.modified = command.now;
    command.draft.put(row);
  }
  return true;
}

}  // namespace muster::accounts
