// Resources: what clusters share, and how much of it each may use.
#include <algorithm>

#include "accounts/command.h"
#include "accounts/values.h"
#include "base/text/strings.h"

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

std::unexpected<Note> bad_value(std::string_view key, std::string expected) {
  return refuse(Problem::bad_value, Entity::resource, key, std::move(expected));
}

Outcome<> set_values(const Command& command, ResourceRow& row) {
  if (auto* setting = command.setting("Description")) row.description = setting->value;
  if (auto* setting = command.setting("ServerType")) row.server_type = setting->value;
  if (auto* setting = command.setting("Flags")) row.flags = changed_list(row.flags, *setting);
  if (auto* setting = command.setting("Type")) {
    if (!iequals(setting->value, "License")) return bad_value("Type", "License");
    row.kind = "License";
  }
  if (auto* setting = command.setting("Count")) {
    auto count = parse_number<std::uint32_t>(setting->value);
    if (!count) return bad_value("Count", "a number");
    row.count = *count;
  }
  return {};
}

// What the clusters named may use together with the others is at most all of it.
Outcome<> set_percent(const Command& command, ResourceRow& row) {
  const std::vector<Text> clusters = command.where.names("Cluster");
  const wire::Setting* setting = command.setting("PercentAllowed");
  if (clusters.empty()) return {};
  for (const Text& cluster : clusters)
    if (!find_cluster(command.site(), cluster))
      return refuse(Problem::unknown_cluster, Entity::cluster, cluster);
  auto percent = parse_number<std::uint32_t>(setting ? setting->value : "0");
  if (!percent || *percent > 100) return bad_value("PercentAllowed", "a number from 0 to 100");
  for (const Text& cluster : clusters) {
    auto at = std::ranges::lower_bound(row.allowed_percent, cluster, {},
                                       &std::pair<Text, std::uint32_t>::first);
    if (at != row.allowed_percent.end() && at->first == cluster) {
      if (setting) at->second = *percent;
    } else {
      row.allowed_percent.emplace(at, cluster, *percent);
    }
  }
  std::uint64_t sum = 0;
  for (const auto& [cluster, share] : row.allowed_percent) sum += share;
  if (sum > 100) return bad_value("PercentAllowed", "at most 100 for all clusters together");
  return {};
}

bool is_meant(const Command& command, const ResourceRow& row) {
  return !row.times.deleted && command.where.allows("Name", row.name) &&
         command.where.allows("Server", row.server) &&
         command.where.allows("ID", std::to_string(row.id));
}

Text server_of(const Command& command) {
  const auto servers = command.where.names("Server");
  return servers.empty() ? Text("slurmdb") : servers.front();
}

}  // namespace

Outcome<> add_resources(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  const Text server = server_of(command);
  for (const Text& name : *names) {
    auto at = command.site().resources.find({name, server});
    const bool is_known = at != command.site().resources.end() && !at->second.times.deleted;
    ResourceRow row{.name = name, .server = server, .kind = "License"};
    if (is_known)
      row = at->second;
    else
      row.id = command.draft.next(&SiteNumbers::resource);
    const ResourceRow old = row;
    if (!is_known) {
      row.times = {.created = command.now, .modified = command.now};
      if (auto ok = set_values(command, row); !ok) return ok;
      if (row.description.empty()) row.description = name;
    }
    if (auto ok = set_percent(command, row); !ok) return ok;
    if (is_known && row == old) {
      command.note(Problem::exists, Entity::resource, name);
      continue;
    }
    command.draft.put(row);
    command.tell(AccountsVerb::add, Entity::resource, name,
                 told_settings(command, settings_of(Entity::resource)));
  }
  return {};
}

Outcome<> modify_resources(const Command& command) {
  for (const ResourceRow& found : values_of(command.site().resources)) {
    if (!is_meant(command, found)) continue;
    ResourceRow row = found;
    if (auto ok = set_values(command, row); !ok) return ok;
    if (auto ok = set_percent(command, row); !ok) return ok;
    if (row == found) continue;
    row.times.modified = command.now;
    command.draft.put(row);
    command.tell(AccountsVerb::modify, Entity::resource, row.name);
  }
  return {};
}

// With clusters: only what these may use of it.
Outcome<> remove_resources(const Command& command) {
  if (!command.where.has("Name") && !command.where.has("ID"))
    return refuse(Problem::missing, Entity::resource, "Name");
  const std::vector<Text> clusters = command.where.names("Cluster");
  for (const ResourceRow& found : values_of(command.site().resources)) {
    if (!is_meant(command, found)) continue;
    ResourceRow row = found;
    if (clusters.empty())
      row.times.deleted = true;
    else
      std::erase_if(row.allowed_percent, [&](const auto& share) {
        return std::ranges::find(clusters, share.first) != clusters.end();
      });
    if (row == found) continue;
    row.times.modified = command.now;
    command.draft.put(row);
    command.tell(AccountsVerb::remove, Entity::resource, row.name);
  }
  return {};
}

}  // namespace muster::accounts
