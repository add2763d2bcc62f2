// sbatch --test-only: when and where would a job start? And srun -I: would it start at once?
#pragma once

#include <vector>

#include "model/cluster.h"
#include "wire/client_messages.h"

namespace muster::controller {

// When and where the jobs would start if they were submitted now: what the plan for the queue with
// them says. It may take a while.
wire::Answer expected_start(Cluster with, const std::vector<Job>& jobs, Time now);
// Fails where no free node could make the job start now.
Result<void> may_start_at_once(const Cluster& cluster, const Job& job, Time now);

}  // namespace muster::controller
