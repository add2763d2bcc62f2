// Gang scheduling: jobs that hold the same CPUs run in turn. While one runs, the others are
// suspended.
#pragma once

#include "controller/ledger/ledger.h"

namespace muster::controller {

void gang_switch(Ledger& ledger);
void pause_in_gang(Ledger& ledger, JobId id);  // until its turn comes
void set_suspended(Ledger& ledger, JobId id, bool suspended, bool by_gang);

}  // namespace muster::controller
