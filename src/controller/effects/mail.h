// The mails that users ask for with --mail-type: which event causes one, and what it says. Nothing
// is sent here.
#pragma once

#include <string>
#include <vector>

#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// Whether MailProg may get this: plain addresses or user names, separated by commas; nothing that
// the program or a shell could take for something else.
Result<void> check_mail_user(std::string_view recipients);

// An array is mailed about as a whole, unless its owner asked for mails about each task.
bool is_mailed_as_array(const Job& job);

// From the time at which it could have started to its start.
Millis queued_time(const Job& job);

// The mails of an event, as calls of MailProg: "-s SUBJECT USER". `cluster` is the state before a
// JobRequeued, and the state after any other event.
std::vector<SiteProgramRun> mails_for(const Cluster& cluster, const Event& event, Time now);

}  // namespace muster::controller
