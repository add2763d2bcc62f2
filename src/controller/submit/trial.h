// sbatch --test-only: when and where would a job start? srun -I: would it start at once?
#pragma once

#include <vector>

#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

// When and where the jobs would start if they were submitted now, according to a plan of the queue
// with them. It may take long.
wire::Answer expected_start(Cluster with, const std::vector<Job>& jobs, Time now);
// Fails if free nodes alone would not let the job start now.
Result<void> may_start_at_once(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::controller
