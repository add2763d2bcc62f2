// The stop notice of a job (model/job/stop_notice.h), as it follows from the state.
#pragma once

#include <optional>

#include "model/cluster.h"
#include "model/job/stop_notice.h"

namespace muster::controller {

// Nothing, as long as nobody is about to stop the job.
std::optional<StopNotice> stop_notice(const Cluster& cluster, const Job& job, Time now);

// Less than this is left before the time limit; time that the job has asked for does not count.
bool is_near_limit(const Job& job, Seconds before, Time now);

// The job ends for good at its time limit.
bool is_last_piece(const Job& job);

}  // namespace muster::controller
