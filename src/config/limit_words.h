// The limits of requests (model/job/request_limits.h) in slurm.conf: words of SlurmctldParameters,
// and MaxTasksPerNode.
#pragma once

#include "config/slurm_conf.h"
#include "model/job/request_limits.h"

namespace muster::config {

// That each limit named in the setting has a number that it can have.
Result<void> check_limit_words(const Location& at, const Setting& setting);

// Those that are words of SlurmctldParameters.
void set_request_limits(const SlurmConf& slurm, RequestLimits& limits);

}  // namespace muster::config
