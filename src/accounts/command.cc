// See command.h.
#include "accounts/command.h"

#include <algorithm>

#include "base/text/strings.h"

namespace muster::accounts {

Outcome<std::vector<Text>> clusters_of(const Command& command) {
  const Site& site = command.site();
  std::vector<Text> names = command.where.names("Cluster");
  for (const Text& name : names)
    if (!find_cluster(site, name))
      return refuse(Problem::unknown_cluster, wire::Entity::cluster, name);
  return names.empty() ? cluster_names(site) : names;
}

Outcome<std::vector<Text>> names_of(const Command& command) {
  std::vector<Text> names = command.where.names("Name");
  std::erase_if(names, [](const Text& name) { return name.empty(); });
  if (names.empty()) return refuse(Problem::missing, command.request.entity, "Name");
  return names;
}

void note_unknown(const Command& command, wire::Entity entity) {
  const Site& site = command.site();
  for (const Text& name : command.where.names("Name")) {
    if (entity == wire::Entity::account && !find_account(site, name))
      command.note(Problem::unknown_account, entity, name);
    if (entity == wire::Entity::user && !find_user(site, name))
      command.note(Problem::unknown_user, entity, name);
    if (entity == wire::Entity::qos && !find_qos(site, name))
      command.note(Problem::unknown_qos, entity, name);
  }
}

std::vector<std::pair<Text, Text>> told_settings(const Command& command,
                                                 std::span<const std::string_view> keys) {
  std::vector<std::pair<Text, Text>> told;
  for (std::string_view key : keys)
    if (const wire::Setting* setting = command.setting(key)) told.emplace_back(key, setting->value);
  return told;
}

}  // namespace muster::accounts
