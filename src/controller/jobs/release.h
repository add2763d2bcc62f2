// The end of an allocation that a command kept: the command gives it back, or has gone for good.
#pragma once

#include "controller/allocation/allocations.h"
#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::Answer release(Ledger& ledger, Caller caller, const wire::ReleaseRequest& request);
void end_orphans(Ledger& ledger, Allocations& allocations);

}  // namespace muster::controller
