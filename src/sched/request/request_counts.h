// How many nodes and tasks a request is for, by all the options that say something about it.
#pragma once

#include "sched/request/request.h"

namespace muster::sched {

// After everything else of the request is known. Fails where more nodes are needed than -N allows.
Result<void> set_counts(const JobSpec& spec, const Partition& partition, Request& request);

}  // namespace muster::sched
