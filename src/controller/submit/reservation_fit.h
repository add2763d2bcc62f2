// Whether a job that names reservations could ever run in one of them.
#pragma once

#include "base/result.h"
#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::controller {

// One of those that it names must be able to take it, if all have begun; a later one may change.
// The job's `submitted` is the time of the question.
Result<void> fits_reservations(const Cluster& cluster, const Job& job,
                               const sched::ResourceRequest& request, const Partition& p);

// Each one that the job names must let it in.
Result<void> may_use_reservation(const Cluster& cluster, const JobSpec& spec, const Text& account);

}  // namespace muster::controller
