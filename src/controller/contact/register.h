// Nodes that register, report, or fall silent, and what that means for their jobs.
#pragma once

#include "controller/allocation/allocations.h"
#include "controller/jobs/programs.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

void register_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, Programs& programs,
                   NodeConnection from, const wire::RegisterReport& report);
// The node was silent, and now reports again over the same connection.
void return_to_service(Ledger& ledger, NodeId id);
// A connected node may be silent too, if its slurmd or its whole machine hangs.
void watch_nodes(Ledger& ledger, NodeLinks& links, Allocations& allocations);
// munge refuses the node, because its clock differs from ours.
void on_clock_difference(Ledger& ledger, NodeLinks& links, const Text& name, Seconds ahead);

}  // namespace muster::controller
