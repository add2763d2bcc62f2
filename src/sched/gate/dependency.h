// dependency: whether a job's dependencies on other jobs are met, and which are still open.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "model/cluster.h"
#include "model/job/dependency.h"

namespace muster::sched {

enum class Fulfilment : std::uint8_t { met, waiting, never };

// For a waiting array record `task` says which task is meant (aftercorr).
Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now);

// The open dependencies as users see them: "afterok:12(unfulfilled),afterok:13(failed)"; "" if all
// are met. For a job that ended before it began: those that were open then.
std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now);

// Fails if the job would wait for itself, directly or through other jobs.
Result<void> check_dependencies(const Cluster& cluster, const Job& job,
                                const Dependencies& dependencies);

}  // namespace muster::sched
