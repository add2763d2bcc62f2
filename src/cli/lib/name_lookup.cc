// Caches names of users and groups.
#include "cli/lib/name_lookup.h"

#include <unistd.h>

#include "base/text/strings.h"
#include "cli/lib/name_service.h"

namespace muster::cli {

static std::string name_of_unknown(NameLookup::Unknown unknown, std::uint32_t id) {
  return unknown == NameLookup::Unknown::nobody ? "nobody" : std::to_string(id);
}

const std::string& NameLookup::user(Uid uid) const {
  auto [at, added] = users_.try_emplace(uid);
  if (added) {
    auto entry = user_with(uid);
    at->second = entry ? entry->name : name_of_unknown(unknown_, uid.value);
  }
  return at->second;
}

const std::string& NameLookup::group(Gid gid) const {
  auto [at, added] = groups_.try_emplace(gid);
  if (added) {
    auto entry = group_with(gid);
    at->second = entry ? entry->name : name_of_unknown(unknown_, gid.value);
  }
  return at->second;
}

std::optional<Uid> find_user(std::string_view name_or_id) {
  if (auto entry = user_named(name_or_id)) return entry->uid;
  auto number = parse_number<std::uint32_t>(name_or_id);
  if (!number || !user_with(Uid{*number})) return std::nullopt;
  return Uid{*number};
}

std::optional<Gid> find_group(std::string_view name_or_id) {
  if (auto entry = group_named(name_or_id)) return entry->gid;
  auto number = parse_number<std::uint32_t>(name_or_id);
  if (!number || !group_with(Gid{*number})) return std::nullopt;
  return Gid{*number};
}

Uid own_uid() { return Uid{getuid()}; }

}  // namespace muster::cli
