// scontrol update nodename= state=: which states an administrator may give a node, and what each
// one changes.
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
  std::string_view next_state;  // of a reboot
  bool has_reason = false;
  Uid by;
  bool connected = false;  // its slurmd is
  Time now;
};

// What an update of a node does to it.
struct NodeDraft {
  std::optional<NodeReason> reason;  // the new one, until an event takes it along
  std::vector<Event> events;
};

// Adds what the wish does to the node.
Result<void> set_state(const Settings& settings, const Node& node, const StateWish& wish,
                       NodeDraft& draft);

}  // namespace muster::controller
