// From configuration files to the values that the controller decides on.
#pragma once

#include "base/result.h"
#include "config/files/gres_conf.h"
#include "config/slurm_conf.h"
#include "model/cluster.h"

namespace muster::config {

Result<ClusterConfig> cluster_config(const SlurmConf& slurm, const GresConf& gres,
                                     std::vector<Switch> topology = {});

}  // namespace muster::config
