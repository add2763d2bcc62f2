// Changes of a node's state, as events.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "controller/ledger/ledger.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// An event that changes nothing, as the starting point of a change.
NodeChanged current(const Node& node);

constexpr std::string_view kNotResponding = "Not responding";
// The reason of a node that munge refuses because its clock differs by this much: "clock 3600 s
// ahead", "clock 3600 s behind".
std::string clock_reason(Seconds ahead);
bool is_clock_reason(const Text& reason);

// The reason of a node whose host stops (LeavingReport::host).
constexpr std::string_view kHostStops = "Host stops";

// How a registration changes the node's state: it comes up, or is set down or drained because of a
// fault.
std::optional<NodeChanged> on_registration(const Settings& settings, const Node& node,
                                           const NodeFacts& facts, Time now);

// The node gets no new jobs, for this reason.
void drain_node(Ledger& ledger, NodeId id, std::string_view reason);

}  // namespace muster::controller
