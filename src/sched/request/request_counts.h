// request_counts: the number of nodes and tasks of a request, from all the options that bear on it.
#pragma once

#include "sched/request/request.h"

namespace muster::sched {

// Call it when the rest of the request is complete. Fails if more nodes are needed than -N allows.
Result<void> set_counts(const JobSpec& spec, const Partition& partition, ResourceRequest& request);

}  // namespace muster::sched
