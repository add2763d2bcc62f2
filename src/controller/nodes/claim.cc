// Finds the node in state FUTURE that a machine becomes.
#include "controller/nodes/claim.h"

#include <algorithm>

#include "controller/nodes/node_change.h"

namespace muster::controller {

namespace {

bool suits(const Node& node, const wire::ClaimNodeRequest& request) {
  const NodeConfig& c = node.config;
  const NodeFacts& machine = request.facts;
  return node.future && c.cpus == machine.cpus && c.sockets == machine.sockets &&
         c.cores_per_socket == machine.cores && c.threads_per_core == machine.threads &&
         (request.feature.empty() ||
          std::ranges::find(c.features, request.feature) != c.features.end());
}

}  // namespace

wire::Answer claim_node(Ledger& ledger, const wire::ClaimNodeRequest& request) {
  if (request.by.hostname.empty()) return Error{ErrorCode::failure, "a machine has a name"};
  const Node* found = nullptr;
  for (NodeId id : *ledger.cluster().node_order) {
    const Node& node = ledger.node(id);
    if (node.claim.hostname == request.by.hostname)
      return wire::ClaimNodeReply{.name = node.config.name};
    if (!found && suits(node, request)) found = &node;
  }
  if (!found)
    return Error{ErrorCode::failure,
                 "no node in state FUTURE is like " + request.by.hostname.str()};
  ledger.log("node " + found->config.name.str() + " is " + request.by.hostname.str());
  const Text name = found->config.name;
  NodeChanged change = current(*found);
  change.future = change.drain = change.fail = change.responding = false;
  change.health = NodeHealth::unknown;
  change.reason = {};
  change.claim = request.by;
  ledger.record(change);
  return wire::ClaimNodeReply{.name = name};
}

}  // namespace muster::controller
