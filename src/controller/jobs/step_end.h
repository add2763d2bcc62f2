// How steps end: by themselves, as their nodes report, or because a user or a time limit ends them.
#pragma once

#include <string_view>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

void on_step_end(Ledger& ledger, NodeLinks& links, NodeId node, const wire::StepEnd& end);
// The node has nothing of this run any more.
void on_job_gone(Ledger& ledger, NodeLinks& links, NodeId node, const wire::JobGoneReport& report);

// Tells its nodes to end the step, with its parts in other components. `from_inside`: on behalf of
// a command that runs in the job itself.
void end_step(Ledger& ledger, const Job& job, const Step& step, Seconds kill_wait,
              std::string_view message_suffix, bool from_inside = false);
// scancel of a step that waits.
Result<void> cancel_queued_step(Ledger& ledger, const Job& job, StepId step);
// srun -t: the step ends, its job goes on.
void enforce_step_limits(Ledger& ledger);

}  // namespace muster::controller
