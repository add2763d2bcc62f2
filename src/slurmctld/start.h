// start: how slurmctld logs, and checks before it serves: the owner of its state files, and whether
// munge answers.
#pragma once

#include <string>

#include "base/ids.h"
#include "base/result.h"
#include "config/slurm_conf.h"
#include "io/log.h"

namespace muster::daemon {

// `verbose`: how often -v was given.
io::LogOptions log_options(const config::SlurmConf& conf, bool foreground, int verbose);

// Fails if state files belong to another user; the error says what to do.
Result<void> check_state_owner(const config::SlurmConf& conf, Uid user);

// Warns if munge does not answer: then only clients on this machine can connect. Blocks until munge
// answers.
void warn_without_munge(const config::SlurmConf& conf, Uid user);

}  // namespace muster::daemon
