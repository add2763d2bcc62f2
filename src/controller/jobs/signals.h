// Signals for jobs and steps: those of scancel, and the one that a job asked for with --signal.
#pragma once

#include <optional>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

Result<void> signal_job(Ledger& ledger, const Job& job, const wire::CancelRequest& request,
                        std::optional<StepId> step);
// Sends the signal that the job asked for with --signal.
void warn(Ledger& ledger, const NodeLinks& links, JobId id);
// Sends it to a node that was away when the others got it.
void warn_belatedly(Ledger& ledger, NodeId node, JobId id);

}  // namespace muster::controller
