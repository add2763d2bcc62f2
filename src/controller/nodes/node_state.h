// scontrol update nodename= state=: the states that an administrator may set, and what each one
// changes.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

struct StateWish {
  std::string_view state;       // "drain", "RESUME", ...
  std::string_view next_state;  // nextstate= of a reboot
  bool has_reason = false;
  Uid by;
  bool connected = false;  // the node's slurmd is connected
  Time now;
};

// How an update changes a node.
struct NodeDraft {
  std::optional<NodeReason> reason;  // the new reason, until an event carries it
  std::vector<Event> events;
};

// Adds the events that lead to the state.
Result<void> set_state(const Settings& settings, const Node& node, const StateWish& wish,
                       NodeDraft& draft);

}  // namespace muster::controller
