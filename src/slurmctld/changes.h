// changes: what reconfiguring slurmctld has changed, for its log.
#pragma once

#include "base/log_entry.h"
#include "config/slurm_conf.h"
#include "model/cluster.h"

namespace muster::daemon {

struct Configuration {
  config::SlurmConf conf;
  ClusterConfig cluster;
};

LogEntry reconfigured(const Configuration& before, const Configuration& after);

}  // namespace muster::daemon
