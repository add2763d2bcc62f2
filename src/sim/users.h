// What users and administrators of the simulated cluster ask for, by chance.
#pragma once

#include <set>

#include "sim/schedule.h"
#include "wire/requests.h"

namespace muster::sim {

// A job, an array or a heterogeneous job for nodes of so many CPUs; it may depend on one of these.
wire::SubmitRequest some_submission(Schedule& chance, std::uint32_t cpus,
                                    const std::set<JobId>& acknowledged);
// One of the jobs is cancelled, requeued, suspended or resumed.
wire::Request some_interference(Schedule& chance, const std::set<JobId>& acknowledged);

}  // namespace muster::sim
