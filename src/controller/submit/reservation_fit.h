// Whether a job that names reservations could ever run in one of them.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"
#include "sched/request/request.h"

namespace muster::controller {

// If all named reservations have begun, one of them must be able to take the job; a later one may
// still change. `job.submitted` is the time of the check. Warnings are for the user.
Result<void> fits_reservations(const Cluster& cluster, const Job& job,
                               const sched::ResourceRequest& request, const Partition& p,
                               std::vector<std::string>& warnings);

// All reservations that the job names must admit it.
Result<void> may_use_reservation(const Cluster& cluster, const JobSpec& spec, const Text& account);

}  // namespace muster::controller
