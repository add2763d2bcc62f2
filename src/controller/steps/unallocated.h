// srun --no-allocate: tasks on named nodes, only for administrators, in no job and without a
// record. The controller authorizes the launch, but its state does not contain it: the nodes clean
// up by themselves when the step ends.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::Answer run_unallocated(Ledger& ledger, Host& host, const NodeLinks& links, Caller caller,
                             const wire::StepRequest& request);

}  // namespace muster::controller
