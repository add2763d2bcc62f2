// Ports that belong to a step on its nodes. They are part of the step, so that they are known after
// a restart.
#pragma once

#include <cstdint>
#include <optional>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

// --resv-ports: ports of MpiParams that no other step on the same nodes has.
Result<IdSet> reserve_ports(const Cluster& cluster, const Step& step, JobId job,
                            std::optional<std::uint32_t> asked);
// --rendezvous: the port at which the tasks of a step meet, on its first node.
Result<std::uint32_t> meeting_port(const Cluster& cluster, NodeId node, JobId job, StepId step);

}  // namespace muster::controller
