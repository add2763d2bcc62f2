// Users and groups of this system. Commands are linked statically so that they start quickly, and
// glibc's name service does not work in static programs. So names that are not in /etc/passwd and
// /etc/group are looked up by getent(1), which knows all sources of nsswitch.conf.
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
  std::string home, shell, full_name;
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
