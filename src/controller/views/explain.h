// Explanations of single jobs (muster explain), from a published snapshot. They plan parts of the
// queue again, within a budget, so they must not run on a thread that others wait for.
#pragma once

#include "controller/ledger/host.h"
#include "controller/views/visibility.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Only jobs that the viewer may see.
wire::Answer explain(const Published& published, const Viewer& viewer,
                     const wire::ExplainRequest& request, Time now);

}  // namespace muster::controller
