// time_limit: how long a job may run, by its own request or by its partition's and QOS's defaults.
#pragma once

#include <string_view>

#include "model/cluster.h"

namespace muster::sched {

// The requested limit, or else the default of the partition and the QOS.
Minutes effective_limit(const Cluster& cluster, const JobSpec& spec, const Partition& partition,
                        std::string_view qos);

// The limit of a waiting job if it started in this partition. A job without a limit of its own gets
// that partition's default.
Minutes limit_in(const Cluster& cluster, const Job& job, const Partition& partition);

}  // namespace muster::sched
