// The limits of requests (model/job/request_limits.h) in slurm.conf: words of SlurmctldParameters,
// and MaxTasksPerNode.
#pragma once

#include "config/slurm_conf.h"
#include "model/job/request_limits.h"

namespace muster::config {

// That each limit named in the setting has a number that it can have.
Result<void> check_limit_words(const Location& at, const Setting& setting);

RequestLimits request_limits_of(const SlurmConf& slurm);

}  // namespace muster::config
