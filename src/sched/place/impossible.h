// impossible: explains to the submitter why a request can never run.
#pragma once

#include <vector>

#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::sched {

// The detail is Slurm's message, if it has one; the advice says which part of the request is
// impossible and what would fit. `nodes` are the candidates: the nodes that a smaller request could
// use.
Error why_impossible(const Cluster& cluster, const ResourceRequest& request,
                     const Partition& partition, const std::vector<NodeId>& nodes);

}  // namespace muster::sched
