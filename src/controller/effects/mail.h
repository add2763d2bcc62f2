// The mails that users ask for with --mail-type: which event of a job makes one, and what it says.
// Nothing here sends anything.
#pragma once

#include <string>
#include <vector>

#include "controller/effects/outgoing.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// Whether MailProg can be given this: plain addresses or user names, with commas between them.
// Nothing that the program, or a shell behind it, could take for something else.
Result<void> check_mail_user(std::string_view recipients);

// An array is written about as a whole unless its owner wants to hear of every task.
bool is_mailed_as_array(const Job& job);

// From when it could have started until it did.
Millis queued_time(const Job& job);

// The mails of an event, as calls of MailProg: "-s SUBJECT USER". For JobRequeued the cluster is as
// it was before, for every other event as it is afterwards.
std::vector<SiteProgramRun> mails_for(const Cluster& cluster, const Event& event, Time now);

}  // namespace muster::controller
