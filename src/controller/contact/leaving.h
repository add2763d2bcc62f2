// Nodes that leave on purpose: their jobs are notified, get a grace period, and are requeued.
#pragma once

#include <cstdint>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"

namespace muster::controller {

enum class Leave : std::uint8_t {
  all,
  with_grace
};  // with_grace: only jobs whose partition or QOS has a grace time

// The node is about to leave: notifies its jobs.
void clear_node(Ledger& ledger, const NodeLinks& links, NodeId id, Leave who);
// The node's host stops. The node is treated as if it had been told to power down; it comes back
// when its slurmd registers after a boot.
void on_host_leaving(Ledger& ledger, const NodeLinks& links, NodeId id);

}  // namespace muster::controller
