// Dependencies between jobs: whether they are met, and what is left of them.
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

// For a waiting array record `task` names the task that is asked about (aftercorr).
Fulfilment fulfilment(const Cluster& cluster, const Job& job, const Dependencies& dependencies,
                      std::optional<std::uint32_t> task, Time now);

// What is left, as users see it: "afterok:12(unfulfilled),afterok:13(failed)"; "" when all is met.
// Of a job that ended before it began: what was left then.
std::string describe_dependencies(const Cluster& cluster, const Job& job, Time now);

// Whether a job may wait for others: not for itself, nor for one that waits for it.
Result<void> check_dependencies(const Cluster& cluster, const Job& job,
                                const Dependencies& dependencies);

}  // namespace muster::sched
