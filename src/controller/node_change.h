// Changes of a node's state, as events.
#pragma once

#include <optional>

#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// The event that changes nothing: the starting point of every change.
NodeChanged current(const Node& node);

// What registering does to the node's state: it comes up, or is set down or drained for a fault.
std::optional<NodeChanged> on_registration(const Settings& settings, const Node& node,
                                           const NodeFacts& facts, Time now);

}  // namespace muster::controller
