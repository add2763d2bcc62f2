// See wckeys.h.
#include "accounts/wckeys.h"

#include <algorithm>

#include "accounts/values.h"
#include "base/text/strings.h"

namespace muster::accounts {

namespace {

using wire::Entity;

// The living keys of a user, ascending.
std::vector<WckeyRow> keys_of(const Site& site, const Text& cluster, const Text& user) {
  std::vector<WckeyRow> keys;
  for (auto at = site.wckeys.lower_bound({cluster, user, {}});
       at != site.wckeys.end() && at->first.cluster == cluster && at->first.user == user; ++at)
    if (!at->second.times.deleted) keys.push_back(at->second);
  return keys;
}

bool put_key(const Command& command, const Text& cluster, const Text& user, const Text& name,
             bool is_default) {
  auto at = command.site().wckeys.find({cluster, user, name});
  WckeyRow row{.cluster = cluster, .user = user, .name = name};
  if (at != command.site().wckeys.end()) row = at->second;
  const bool is_new = row.id == 0 || row.times.deleted;
  if (!is_new && row.is_default == is_default) return false;
  if (row.id == 0) row.id = command.draft.next(&SiteNumbers::wckey);
  row.times = {.created = is_new ? command.now : row.times.created, .modified = command.now};
  row.is_default = is_default;
  command.draft.put(row);
  if (is_new)
    command.draft.tell({.verb = wire::AccountsVerb::add,
                        .entity = Entity::wckey,
                        .name = name,
                        .cluster = cluster,
                        .association = {.account = {}, .user = user, .partition = {}}});
  return true;
}

bool drop_key(const Command& command, WckeyRow row) {
  row.times.deleted = true;
  row.times.modified = command.now;
  row.is_default = false;
  command.draft.tell({.verb = wire::AccountsVerb::remove,
                      .entity = Entity::wckey,
                      .name = row.name,
                      .cluster = row.cluster,
                      .association = {.account = {}, .user = row.user, .partition = {}}});
  return command.draft.put(row);
}

}  // namespace

Outcome<bool> change_wckeys(const Command& command, const Text& cluster, const Text& user) {
  const wire::Setting* list = command.setting("WCKey");
  const wire::Setting* preset = command.setting("DefaultWCKey");
  if (!list && !preset) return false;
  const std::vector<WckeyRow> old = keys_of(command.site(), cluster, user);
  std::vector<Text> names;
  Text standard;
  for (const WckeyRow& row : old) {
    names.push_back(row.name);
    if (row.is_default) standard = row.name;
  }
  if (list) names = changed_list(names, *list);
  if (preset) {
    standard = lower(preset->value);
    if (std::ranges::find(names, standard) == names.end()) {
      if (command.request.verb == wire::AccountsVerb::modify && !list)
        return refuse(Problem::unknown_wckey, Entity::wckey, standard, user.str());
      names.push_back(standard);
    }
  }
  if (std::ranges::find(names, standard) == names.end())
    standard = names.empty() ? Text() : names.front();
  bool any = false;
  for (const WckeyRow& row : old)
    if (std::ranges::find(names, row.name) == names.end()) any = drop_key(command, row) || any;
  for (const Text& name : names)
    any = put_key(command, cluster, user, name, name == standard) || any;
  return any;
}

bool has_meant_wckey(const Command& command, const Text& user) {
  if (!command.where.has("WCKey") && !command.where.has("DefaultWCKey")) return true;
  return std::ranges::any_of(command.site().wckeys, [&](const auto& entry) {
    const WckeyRow& row = entry.second;
    return row.user == user && !row.times.deleted && command.where.allows("WCKey", row.name) &&
           command.where.allows("Cluster", row.cluster) &&
           (row.is_default ? command.where.allows("DefaultWCKey", row.name)
                           : !command.where.has("DefaultWCKey"));
  });
}

void remove_wckeys(const Command& command, const Text& user) {
  for (const WckeyRow& row : values_of(command.site().wckeys))
    if (row.user == user && !row.times.deleted) drop_key(command, row);
}

}  // namespace muster::accounts
