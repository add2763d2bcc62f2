// QOS: what lists of associations and of other QOS name. One that a slurm.conf defines is changed
// there.
#include <algorithm>

#include "accounts/command.h"
#include "accounts/values.h"
#include "base/text/strings.h"

namespace muster::accounts {

using wire::AccountsVerb;
using wire::Entity;

namespace {

bool is_meant(const Command& command, const QosRow& row) {
  return !row.times.deleted && command.where.allows("Name", row.qos.name) &&
         command.where.allows("ID", std::to_string(row.id)) &&
         command.where.allows("Description", row.qos.description) &&
         command.where.allows("PreemptMode", row.qos.preempt_mode);
}

Outcome<> apply_settings(const Command& command, Qos& qos) {
  for (const wire::Setting& setting : command.request.settings) {
    if (iequals(setting.key, "RawUsage")) {
      if (auto ok = check_raw_usage(Entity::qos, setting); !ok) return ok;
      command.draft.reset_usage({{}, {.qos = qos.name, .association = {}}});
    } else if (auto ok = set_qos_setting(command.site(), qos, setting); !ok) {
      return ok;
    }
  }
  return {};
}

// Lists that name it are without it from now on.
void forget_name(const Command& command, const Text& name) {
  for (QosRow row : values_of(command.site().qos))
    if (std::erase(row.qos.preempts, name) > 0) command.draft.put(row);
  for (const Text& cluster : cluster_names(command.site()))
    for (AssociationRow row : values_of(associations_of(command.site(), cluster))) {
      const bool listed = std::erase(row.association.qos, name) > 0;
      if (row.association.default_qos == name)
        row.association.default_qos = {};
      else if (!listed)
        continue;
      command.draft.put(row);
    }
}

}  // namespace

Outcome<> add_qos(const Command& command) {
  auto names = names_of(command);
  if (!names) return std::unexpected(names.error());
  for (const Text& name : *names) {
    if (find_qos(command.site(), name)) {
      command.note(Problem::exists, Entity::qos, name);
      continue;
    }
    QosRow row{.id = command.draft.next(&SiteNumbers::qos),
               .qos = {},
               .defined_in = {},
               .times = {.created = command.now, .modified = command.now}};
    row.qos.name = row.qos.description = name;
    if (auto ok = apply_settings(command, row.qos); !ok) return ok;
    command.draft.put(row);
    command.tell(AccountsVerb::add, Entity::qos, name,
                 told_settings(command, settings_of(Entity::qos)));
  }
  return {};
}

Outcome<> modify_qos(const Command& command) {
  note_unknown(command, Entity::qos);
  for (const QosRow& found : values_of(command.site().qos)) {
    if (!is_meant(command, found)) continue;
    if (!found.defined_in.empty())
      return refuse(Problem::defined_in_file, Entity::qos, found.qos.name, found.defined_in.str());
    QosRow row = found;
    if (auto ok = apply_settings(command, row.qos); !ok) return ok;
    const bool resets = command.setting("RawUsage") != nullptr;
    command.tell(AccountsVerb::modify, Entity::qos, row.qos.name);
    if (row == found && !resets) continue;
    row.times.modified = command.now;
    command.draft.put(row);
  }
  return {};
}

Outcome<> remove_qos(const Command& command) {
  note_unknown(command, Entity::qos);
  if (command.where.names("Name").empty() && !command.where.has("ID") &&
      !command.where.has("Description") && !command.where.has("PreemptMode"))
    return refuse(Problem::missing, Entity::qos, "Name");
  for (QosRow row : values_of(command.site().qos)) {
    if (!is_meant(command, row)) continue;
    if (row.qos.name == kNormalQos) return refuse(Problem::is_root, Entity::qos, row.qos.name);
    if (!row.defined_in.empty())
      return refuse(Problem::defined_in_file, Entity::qos, row.qos.name, row.defined_in.str());
    command.tell(AccountsVerb::remove, Entity::qos, row.qos.name);
    row.times.deleted = true;
    row.times.modified = command.now;
    command.draft.put(row);
    forget_name(command, row.qos.name);
  }
  return {};
}

}  // namespace muster::accounts
