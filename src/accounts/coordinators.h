// coordinators: see coordinator_verbs.cc.
#pragma once

#include "accounts/command.h"

namespace muster::accounts {

// A user who is removed coordinates nothing any more.
void forget_coordinator(const Command& command, const Text& user);

}  // namespace muster::accounts
