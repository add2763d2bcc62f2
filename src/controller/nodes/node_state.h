// scontrol update nodename= state=: which states an administrator may give a node, and what each
// one changes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

struct StateWish {
  std::string_view state;       // "drain", "RESUME", ...
  std::string_view next_state;  // of a reboot
  bool has_reason = false;
  bool connected = false;  // its slurmd is
  Time now;
};

// Changes `change`, which starts as the node's present state.
Result<void> set_state(const Settings& settings, const Node& node, const StateWish& wish,
                       NodeChanged& change);

}  // namespace muster::controller
