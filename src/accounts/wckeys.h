// wckeys: the keys that users may charge their work to, by cluster.
#pragma once

#include "accounts/command.h"

namespace muster::accounts {

// What the settings WCKey and DefaultWCKey say, for this user. False if nothing changes.
Outcome<bool> change_wckeys(const Command& command, const Text& cluster, const Text& user);
// Whether the user has a key that the conditions WCKey and DefaultWCKey ask for.
bool has_meant_wckey(const Command& command, const Text& user);
void remove_wckeys(const Command& command, const Text& user);

}  // namespace muster::accounts
