// scancel: ends jobs, waiting tasks and steps, or sends them a signal.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/planning/planning.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::Answer cancel(Ledger& ledger, const Planning& planning, Caller caller,
                    const wire::CancelRequest& request);

}  // namespace muster::controller
