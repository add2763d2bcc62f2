// Looks up users, and caches the answers for a while.
#include "slurmd/users.h"

#include <pwd.h>
#include <unistd.h>

#include <utility>

#include "io/users.h"

namespace muster {
namespace {

constexpr Seconds kKeepFor{300};

UserInfo look_up(Uid uid, Gid gid) {
  UserInfo info{.name = {}, .home = "/", .shell = "/bin/sh", .groups = {gid}};
  passwd entry{}, *found = nullptr;
  std::string buffer(16384, '\0');
  if (getpwuid_r(uid.value, &entry, buffer.data(), buffer.size(), &found) != 0 || !found)
    return info;
  info.name = entry.pw_name;
  info.home = entry.pw_dir;
  info.shell = entry.pw_shell;

  info.groups = io::user_groups(info.name, gid);
  return info;
}

}  // namespace

const UserInfo& SlurmdUsers::find(Uid uid, Gid gid, Time now) {
  Entry& entry = known_[{uid, gid}];
  // An unknown user may exist when the next job comes.
  const bool is_known = !entry.info.name.empty();
  if (!is_known || now >= entry.until) entry = {look_up(uid, gid), now + kKeepFor};
  return entry.info;
}

}  // namespace muster
