// Mails that no event of a job causes: about an array as a whole, and about a time limit that comes
// near.
#pragma once

#include "controller/ledger/ledger.h"

namespace muster::controller {

// Records that the mail was sent, if nothing else in the state shows it: it is sent once.
void mail_once(Ledger& ledger, JobId id, std::uint32_t types);
void mail_begin_of_array(Ledger& ledger, const Job& task);
void mail_time_limits(Ledger& ledger);

}  // namespace muster::controller
