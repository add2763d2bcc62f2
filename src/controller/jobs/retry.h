// --chunk, --retry and --retry-oom: whether a job whose script has ended runs again, and what is
// different then.
#pragma once

#include <cstdint>
#include <optional>

#include "model/cluster.h"
#include "state/event_queue.h"

namespace muster::controller {

// `status`: the wait status of the script.
Again why_again(const Cluster& cluster, const Job& job, std::uint32_t status);

// `ended`: the job before it was requeued; `waiting`: the same job now. After a failure it keeps
// off the nodes where it failed, if it can run elsewhere; without enough memory it gets more.
std::optional<JobUpdated> change_for_next_run(const Cluster& cluster, const Job& ended,
                                              const Job& waiting);

}  // namespace muster::controller
