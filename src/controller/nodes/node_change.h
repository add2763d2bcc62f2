// Changes of a node's state, as events.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "controller/ledger/ledger.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// The node's reason with these words added.
NodeReason reason_and(const Node& node, std::string_view words);
// A reason that slurmctld itself gives.
NodeReason own_reason(const Ledger& ledger, std::string_view text);

constexpr std::string_view kNotResponding = "Not responding";
// The reason of a node that munge refuses because its clock differs by this much: "clock 3600 s
// ahead", "clock 3600 s behind".
std::string clock_reason(Seconds ahead);
bool is_clock_reason(const Text& reason);

// The reason of a node whose host stops (LeavingReport::host).
constexpr std::string_view kHostStops = "Host stops";

// How a registration changes the node's state: it comes up, or is set down or drained because of a
// fault.
std::vector<Event> on_registration(const Ledger& ledger, const Node& node, const NodeFacts& facts);

// The node gets no new jobs, for this reason.
void drain_node(Ledger& ledger, NodeId id, std::string_view reason);

}  // namespace muster::controller
