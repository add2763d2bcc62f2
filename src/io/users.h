// What the system's user database says.
#pragma once

#include <string>
#include <vector>

#include "base/ids.h"

namespace muster::io {

// All groups of a user, the given one included.
std::vector<Gid> user_groups(const std::string& name, Gid primary);

// The names of all groups of a user; empty where the user is not known.
std::vector<std::string> group_names(Uid user);

}  // namespace muster::io
