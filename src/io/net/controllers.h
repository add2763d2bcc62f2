// Where slurmctld is to be found, as slurmd and the commands read it in slurm.conf.
#pragma once

#include <vector>

#include "base/ids.h"
#include "config/keys/settings.h"
#include "io/net/channel.h"

namespace muster::io {

// `slurm_user` is SlurmUser's uid: no other user's process is taken for the controller.
std::vector<Endpoint> controller_endpoints(const config::ClientSettings& settings, Uid slurm_user);

}  // namespace muster::io
