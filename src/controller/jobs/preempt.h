// Preemption: a running job is told to make room, has a grace period, and then ends or is requeued.
#pragma once

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "sched/plan.h"

namespace muster::controller {

void evict(Ledger& ledger, const NodeLinks& links, const sched::Eviction& eviction);
void give_notice(Ledger& ledger, const NodeLinks& links, JobId id, const Preemption& preemption);
// SIGCONT and SIGTERM for the script and everything that it runs: a trap, or the program in the
// foreground, has the whole grace period to save its work.
void send_grace_signals(Ledger& ledger, const Job& job);
void end_graces(Ledger& ledger);

}  // namespace muster::controller
