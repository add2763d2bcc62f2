// Clusters: each has a tree of associations of its own, with account root and user root.
#include "accounts/associations.h"
#include "accounts/command.h"
#include "accounts/first_rows.h"
#include "accounts/values.h"

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

void set_values(const Command& command, ClusterRow& row) {
  if (auto* setting = command.setting("Classification")) row.classification = setting->value;
  if (auto* setting = command.setting("Features"))
    row.features = changed_list(row.features, *setting);
}

AssociationKey root_key() { return {.account = kRootAccount, .user = {}, .partition = {}}; }

}  // namespace

Outcome<> add_clusters(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  for (const Text& name : *names) {
    if (find_cluster(command.site(), name)) {
      command.note(Problem::exists, Entity::cluster, name);
      continue;
    }
    command.tell(AccountsVerb::add, Entity::cluster, name,
                 told_settings(command, settings_of(Entity::cluster)));
    add_first_rows(command.draft, name, command.now);
    ClusterRow row = *find_cluster(command.site(), name);
    set_values(command, row);
    command.draft.put(row);
    AssociationRow root = *find_association(command.site(), name, root_key());
    if (auto ok = apply_settings(command, name, root.association); !ok) return ok;
    command.draft.put(root);
  }
  return {};
}

Outcome<> modify_clusters(const Command& command) {
  for (const ClusterRow& found : values_of(command.site().clusters)) {
    const Text& name = found.name;
    if (found.times.deleted || !command.where.allows("Name", name) ||
        !command.where.allows("Classification", found.classification))
      continue;
    ClusterRow row = found;
    set_values(command, row);
    if (row != found) {
      row.times.modified = command.now;
      command.draft.put(row);
      command.tell(AccountsVerb::modify, Entity::cluster, name);
    }
    if (!sets_association(command)) continue;
    const AssociationRow root = *find_association(command.site(), name, root_key());
    if (auto ok = change_association(command, root); !ok) return ok;
  }
  return {};
}

Outcome<> remove_clusters(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  for (const Text& name : *names) {
    const ClusterRow* found = find_cluster(command.site(), name);
    if (!found) {
      command.note(Problem::unknown_cluster, Entity::cluster, name);
      continue;
    }
    if (std::string why = command.around.needs_cluster(name); !why.empty())
      return refuse(Problem::in_use, Entity::cluster, name, why);
    command.tell(AccountsVerb::remove, Entity::cluster, name);
    ClusterRow row = *found;
    row.times.deleted = true;
    row.times.modified = command.now;
    command.draft.put(row);
    for (AssociationRow association : values_of(associations_of(command.site(), name))) {
      association.times.deleted = true;
      command.draft.put(association);
    }
    for (WckeyRow key : values_of(command.site().wckeys)) {
      if (key.cluster != name) continue;
      key.times.deleted = true;
      command.draft.put(key);
    }
  }
  return {};
}

}  // namespace muster::accounts
