// slurmd -F: a machine becomes one of the nodes in state FUTURE.
#pragma once

#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

// A machine gets the same node as before, if it had one.
wire::Answer claim_node(Ledger& ledger, const wire::ClaimNodeRequest& request);

}  // namespace muster::controller
