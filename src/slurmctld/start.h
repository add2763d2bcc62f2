// What slurmctld looks at before it serves: whose files its state is, and whether munge answers.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "config/slurm_conf.h"

namespace muster::daemon {

// Files of another user could not be written: the error says who owns them and what to do.
Result<void> check_state_owner(const config::SlurmConf& conf, Uid user);

// Without munge only callers on this machine get in. Blocks while munge answers.
void warn_without_munge(const config::SlurmConf& conf, Uid user);

}  // namespace muster::daemon
