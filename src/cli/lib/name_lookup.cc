#include "cli/lib/name_lookup.h"

#include <unistd.h>

#include "base/text/strings.h"
#include "cli/lib/name_service.h"

namespace muster::cli {

const std::string& NameLookup::user(Uid uid) {
  auto [at, added] = users_.try_emplace(uid);
  if (added) {
    auto entry = user_with(uid);
    at->second = entry ? entry->name : "nobody";
  }
  return at->second;
}

const std::string& NameLookup::group(Gid gid) {
  auto [at, added] = groups_.try_emplace(gid);
  if (added) {
    auto entry = group_with(gid);
    at->second = entry ? entry->name : "nobody";
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
