// What time alone does to jobs: time limits, deadlines, limits on usage, and old records.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

// Time limits, the warnings before them, and deadlines of jobs that wait.
void enforce_limits(Ledger& ledger, const NodeLinks& links);
// Jobs that have used up what a limit of a QOS or an association allows.
void end_over_limits(Ledger& ledger);
// Ended jobs stay listed for MinJobAge, or longer while tasks of their array remain. If waiting
// jobs depend on a job, its outcome is remembered for as long as they wait.
void purge_old_jobs(Ledger& ledger);

}  // namespace muster::controller
