// changed_gres: scontrol update NodeName=... Gres=
#pragma once

#include <string_view>

#include "base/result.h"
#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

// What is only counted may be any number; devices that the configuration names are all there, or
// none of them is. What jobs hold cannot be taken away.
Result<NodeGres> changed_gres(const Cluster& cluster, const Node& node, std::string_view text);

}  // namespace muster::controller
