// Users and groups of this system. The commands are linked statically, so that they start quickly,
// and glibc's name service does not live in a static program: what /etc/passwd and /etc/group do
// not hold is asked of getent(1), which knows every source that nsswitch.conf names.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/ids.h"

namespace muster::cli {

struct UserEntry {
  std::string name;
  Uid uid;
  Gid gid;
  std::string home, shell;
};

struct GroupEntry {
  std::string name;
  Gid gid;
};

std::optional<UserEntry> user_named(std::string_view name);
std::optional<UserEntry> user_with(Uid uid);
std::optional<GroupEntry> group_named(std::string_view name);
std::optional<GroupEntry> group_with(Gid gid);

}  // namespace muster::cli
