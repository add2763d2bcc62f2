// How long a job may run: what it asked for, or what the partition that it runs in gives.
#pragma once

#include <string_view>

#include "model/cluster.h"

namespace muster::sched {

// What the job asked for, or what its partition and its QOS give.
Minutes effective_limit(const Cluster& cluster, const JobSpec& spec, const Partition& partition,
                        std::string_view qos);

// Of a job in the queue, if it were to start there. One that names no limit has the one that the
// partition which takes it gives then.
Minutes limit_in(const Cluster& cluster, const Job& job, const Partition& partition);

}  // namespace muster::sched
