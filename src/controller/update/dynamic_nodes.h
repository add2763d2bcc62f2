// scontrol create node and delete node: dynamic nodes, which are in no file.
#pragma once

#include <vector>

#include "controller/ledger/ledger.h"
#include "controller/links/node_links.h"
#include "wire/client_messages.h"

namespace muster::controller {

wire::Answer create_nodes(Ledger& ledger, const wire::UpdateRequest& request);
wire::Answer delete_nodes(Ledger& ledger, NodeLinks& links, const wire::UpdateRequest& request);
// The nodes that the request names.
Result<std::vector<NodeId>> named_nodes(const Cluster& cluster, const wire::UpdateRequest& request);

}  // namespace muster::controller
