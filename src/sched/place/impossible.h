// Why a request can never run, for whoever submitted it.
#pragma once

#include <string>
#include <vector>

#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::sched {

// Two lines, either of which may be empty: what Slurm says of such a request, and which part of it
// is impossible and what would fit. `nodes` are those that the request could use, were it smaller.
std::string why_impossible(const Cluster& cluster, const Request& request,
                           const Partition& partition, const std::vector<NodeId>& nodes);

}  // namespace muster::sched
