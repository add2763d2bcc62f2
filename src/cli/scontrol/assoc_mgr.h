// scontrol show assoc_mgr: users, associations and QOS, with what is used of each limit.
#pragma once

#include "cli/scontrol/session.h"

namespace muster::cli {

// `words`: "users=alice,bob,accounts=lab,flags=assoc"
void show_assoc_mgr(ScontrolSession& session, const std::string& words);

}  // namespace muster::cli
