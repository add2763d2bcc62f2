// apply: the only writer of the cluster's state. It reads no configuration and no clock: everything
// it needs is in the event. docs/states.md is the table it follows.
#pragma once

#include "model/cluster.h"
#include "state/event.h"

namespace muster {

void apply(Cluster& cluster, const Event& event);

}  // namespace muster
