// From configuration files to the values that the controller decides on.
#pragma once

#include "base/result.h"
#include "config/files/gres_conf.h"
#include "config/slurm_conf.h"
#include "model/cluster.h"

namespace muster::config {

Result<ClusterConfig> cluster_config(const SlurmConf& slurm, const GresConf& gres,
                                     std::vector<Switch> topology = {});
// TopologyPlugin=topology/tree: topology.conf says what is connected how.
bool has_topology(const SlurmConf& slurm);

}  // namespace muster::config
