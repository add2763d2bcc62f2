// Nodes that register, are heard and fall silent, and what their reports mean for jobs.
#pragma once

#include "controller/allocation/allocations.h"
#include "controller/jobs/programs.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

void register_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Programs& programs,
                   NodeConnection from, const wire::RegisterReport& report);
// It was silent, and is heard again over the same connection.
void return_to_service(Ledger& ledger, NodeId id);
// A node that is connected may be silent all the same: its slurmd, or all of it, hangs.
void watch_nodes(Ledger& ledger, NodeLinks& links, Allocations& allocations);
// munge does not let the node in: its clock differs from ours.
void on_clock_difference(Ledger& ledger, NodeLinks& links, const Text& name, Seconds ahead);

}  // namespace muster::controller
