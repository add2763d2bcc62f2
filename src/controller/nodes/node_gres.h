// changed_gres: scontrol update NodeName=... Gres=
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// Gres without devices may get any count; devices of the configuration are all there, or none is.
// Gres that jobs hold cannot be taken away.
Result<NodeGres> changed_gres(const Cluster& cluster, const Node& node, std::string_view text);

}  // namespace muster::controller
