// The caller's resource limits for a job's processes: --propagate or, by default,
// PropagateResourceLimits and PropagateResourceLimitsExcept.
#pragma once

#include <string_view>

#include "cli/lib/controller.h"
#include "cli/options/environment.h"

namespace muster::cli {

// The first unknown name in "ALL", "NONE" or a list such as "AS,NOFILE".
std::optional<std::string_view> unknown_limit(std::string_view names);

// SLURM_RLIMIT_*: the selected soft limits, which the nodes set.
void add_limit_variables(JobEnvironment& environment, const JobOptions& options,
                         const ClientConfig& config);

}  // namespace muster::cli
