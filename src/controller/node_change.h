// Changes of a node's state, as events.
#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// The event that changes nothing: the starting point of every change.
NodeChanged current(const Node& node);

// The reason of a node whose machine stops (LeavingReport::host).
constexpr std::string_view kHostStops = "Host stops";

// What registering does to the node's state: it comes up, or is set down or drained for a fault.
std::optional<NodeChanged> on_registration(const Settings& settings, const Node& node,
                                           const NodeFacts& facts, Time now);

}  // namespace muster::controller
