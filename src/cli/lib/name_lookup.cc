#include "cli/lib/name_lookup.h"

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

#include "base/strings.h"

namespace muster::cli {

const std::string& NameLookup::user(Uid uid) {
  auto [at, added] = users_.try_emplace(uid);
  if (added) {
    const passwd* entry = getpwuid(uid.value);
    at->second = entry ? entry->pw_name : "nobody";
  }
  return at->second;
}

const std::string& NameLookup::group(Gid gid) {
  auto [at, added] = groups_.try_emplace(gid);
  if (added) {
    const ::group* entry = getgrgid(gid.value);
    at->second = entry ? entry->gr_name : "nobody";
  }
  return at->second;
}

std::optional<Uid> find_user(std::string_view name_or_id) {
  if (const passwd* entry = getpwnam(std::string(name_or_id).c_str())) return Uid{entry->pw_uid};
  auto number = parse_number<std::uint32_t>(name_or_id);
  if (!number || !getpwuid(*number)) return std::nullopt;
  return Uid{*number};
}

std::optional<Gid> find_group(std::string_view name_or_id) {
  if (const ::group* entry = getgrnam(std::string(name_or_id).c_str())) return Gid{entry->gr_gid};
  auto number = parse_number<std::uint32_t>(name_or_id);
  if (!number || !getgrgid(*number)) return std::nullopt;
  return Gid{*number};
}

Uid own_uid() { return Uid{getuid()}; }

}  // namespace muster::cli
