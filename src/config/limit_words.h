// Limits of requests (model/job/request_limits.h) in slurm.conf: words of SlurmctldParameters, and
// MaxTasksPerNode.
#pragma once

#include "config/slurm_conf.h"
#include "model/job/request_limits.h"

namespace muster::config {

// Checks that each limit in the setting has a number within its bounds.
Result<void> check_limit_words(const Location& at, const Setting& setting);

// Sets the limits that are words of SlurmctldParameters.
void set_request_limits(const SlurmConf& slurm, RequestLimits& limits);

}  // namespace muster::config
