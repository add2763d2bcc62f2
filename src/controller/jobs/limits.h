// What the passing of time does to jobs: time limits, deadlines, limits on usage, and removal of
// old records.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

// Time limits, warnings before them, and deadlines of pending jobs.
void enforce_limits(Ledger& ledger, const NodeLinks& links);
// Ends jobs that have used up what a limit of a QOS or an association allows.
void end_over_limits(Ledger& ledger);
// Ended jobs stay listed for MinJobAge, or longer while tasks of their array remain. If pending
// jobs depend on a job, its outcome is kept until they no longer wait.
void purge_old_jobs(Ledger& ledger);

}  // namespace muster::controller
