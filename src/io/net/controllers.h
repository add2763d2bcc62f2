// The addresses of slurmctld and slurmdbd, as daemons and commands read them in slurm.conf.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.h"
#include "config/keys/settings.h"
#include "io/net/channel.h"

namespace muster::io {

// `slurm_user` is SlurmUser's uid: processes of other users are not accepted as the controller.
std::vector<Endpoint> controller_endpoints(const config::ClientSettings& settings, Uid slurm_user);

// Where slurmdbd listens. Its name is the same at every site: there is one for all clusters.
inline constexpr std::string_view kDatabaseServerName = "slurmdbd";
struct DatabaseAddress {
  std::string host;
  std::uint16_t port = 0;  // 0 = the usual one
  std::string munge_socket;
};
Endpoint database_endpoint(const DatabaseAddress& address, Uid slurm_user);

}  // namespace muster::io
