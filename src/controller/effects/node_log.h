// What the log says of a node that has changed, by what it was and what it has become.
#pragma once

#include <optional>

#include "base/ids.h"
#include "base/log_entry.h"
#include "controller/effects/event_log.h"
#include "model/node/node.h"
#include "state/event.h"

namespace muster::controller {

// Whose record an event changes, other than by its jobs; 0 = none.
NodeId changed_node(const Event& event);

// Nothing where no administrator would ask about it.
std::optional<LogEntry> entry_for(const Node& was, const Node& is, const Asker& asker);

}  // namespace muster::controller
