// The addresses of slurmctld, as slurmd and the commands read them in slurm.conf.
#pragma once

#include <vector>

#include "base/ids.h"
#include "config/keys/settings.h"
#include "io/net/channel.h"

namespace muster::io {

// `slurm_user` is SlurmUser's uid: processes of other users are not accepted as the controller.
std::vector<Endpoint> controller_endpoints(const config::ClientSettings& settings, Uid slurm_user);

}  // namespace muster::io
