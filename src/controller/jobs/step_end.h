// How steps end: by themselves, as their nodes report, or because a user or a time limit ends them.
#pragma once

#include <string_view>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

void on_step_end(Ledger& ledger, NodeLinks& links, NodeId node, const wire::StepEnd& end);
// Nothing of this run is left on the node.
void on_job_gone(Ledger& ledger, NodeLinks& links, NodeId node, const wire::JobGoneReport& report);

// Orders the nodes to end the step and its parts in other components. `from_inside`: a command in
// the job itself asked for it.
void end_step(Ledger& ledger, const Job& job, const Step& step, Seconds kill_wait,
              std::string_view message_suffix, bool from_inside = false);
// scancel of a queued step (srun --async).
Result<void> cancel_queued_step(Ledger& ledger, const Job& job, StepId step);
// srun -t: the step ends, and its job goes on.
void enforce_step_limits(Ledger& ledger);

}  // namespace muster::controller
