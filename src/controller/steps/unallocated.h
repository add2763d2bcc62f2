// srun --no-allocate: tasks on named nodes, for the administrator alone, in no job and without any
// record. The controller vouches for the launch, but its state knows nothing of it: the nodes tidy
// up by themselves when the step is over.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::Answer run_unallocated(Ledger& ledger, Host& host, const NodeLinks& links, Caller caller,
                             const wire::StepRequest& request);

}  // namespace muster::controller
