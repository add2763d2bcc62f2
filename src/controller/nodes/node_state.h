// scontrol update nodename= state=: the states that an administrator may set, and what each one
// changes.
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

struct StateWish {
  std::string_view state;       // "drain", "RESUME", ...
  std::string_view next_state;  // nextstate= of a reboot
  bool has_reason = false;
  bool connected = false;  // the node's slurmd is connected
  Time now;
};

// Updates `change`, which must start as the node's present state.
Result<void> set_state(const Settings& settings, const Node& node, const StateWish& wish,
                       NodeChanged& change);

}  // namespace muster::controller
