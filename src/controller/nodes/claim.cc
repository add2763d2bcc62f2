// slurmd -F: a machine becomes one of the nodes that the configuration keeps for the future.
#include <algorithm>

#include "controller/core.h"
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

// A machine that has been one before is it again.
wire::Answer Core::claim_node(const wire::ClaimNodeRequest& request) {
  if (request.by.hostname.empty()) return Error{ErrorCode::failure, "a machine has a name"};
  const Node* found = nullptr;
  for (NodeId id : *cluster_.node_order) {
    const Node& node = cluster_.nodes.at(id);
    if (node.claim.hostname == request.by.hostname)
      return wire::ClaimNodeReply{.name = node.config.name};
    if (!found && suits(node, request)) found = &node;
  }
  if (!found)
    return Error{ErrorCode::failure,
                 "no node in state FUTURE is like " + request.by.hostname.str()};
  host_.log("node " + found->config.name.str() + " is " + request.by.hostname.str());
  const Text name = found->config.name;
  NodeChanged change = current(*found);
  change.future = change.drain = change.fail = change.responding = false;
  change.health = NodeHealth::unknown;
  change.reason = {};
  change.claim = request.by;
  record(change);
  return wire::ClaimNodeReply{.name = name};
}

}  // namespace muster::controller
