// time_limit: how long a job may run, by its own request or by its partition's and QOS's defaults.
#pragma once

#include "base/containers/text.h"
#include "model/cluster.h"

namespace muster::sched {

struct ChargedTo {
  Text account, qos;
};
// The requested limit, or else the default of the partition, the QOS and the association.
Minutes effective_limit(const Cluster& cluster, const JobSpec& spec, const ChargedTo& charged,
                        const Partition& partition);

// The limit of a waiting job if it started in this partition. A job without a limit of its own gets
// that partition's default.
Minutes limit_in(const Cluster& cluster, const Job& job, const Partition& partition);

}  // namespace muster::sched
