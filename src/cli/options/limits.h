// The caller's resource limits, which a job's processes get: --propagate, and where it is not given
// PropagateResourceLimits and PropagateResourceLimitsExcept.
#pragma once

#include <string_view>

#include "cli/lib/controller.h"
#include "cli/options/environment.h"

namespace muster::cli {

// "ALL", "NONE", or names such as "AS" with commas between them; the first that is not known.
std::optional<std::string_view> unknown_limit(std::string_view names);

// SLURM_RLIMIT_*: the soft limits that the nodes set, as far as they are wanted.
void add_limit_variables(JobEnvironment& environment, const JobOptions& options,
                         const ClientConfig& config);

}  // namespace muster::cli
