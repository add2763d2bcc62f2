// slurmd -F: a machine becomes one of the nodes that the configuration keeps for the future.
#pragma once

#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

// A machine that has been one of them before is it again.
wire::Answer claim_node(Ledger& ledger, const wire::ClaimNodeRequest& request);

}  // namespace muster::controller
