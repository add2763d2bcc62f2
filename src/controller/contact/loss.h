// A node is lost: its jobs end or return to the queue, unless they can go on without it.
#pragma once

#include <string_view>

#include "controller/allocation/allocations.h"
#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

void lose_node(Ledger& ledger, NodeLinks& links, Allocations& allocations, NodeId node,
               std::string_view why);

}  // namespace muster::controller
