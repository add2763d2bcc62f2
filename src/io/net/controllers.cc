// Makes the list of controller endpoints from slurm.conf.
#include "io/net/controllers.h"

#include <string>
#include <utility>

#include "io/net/handshake.h"

namespace muster::io {

namespace {

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == path.npos ? "." : path.substr(0, slash);
}

}  // namespace

std::vector<Endpoint> controller_endpoints(const config::ClientSettings& settings, Uid slurm_user) {
  std::vector<Endpoint> found;
  for (const config::ControllerHost& host : settings.controllers) {
    Endpoint endpoint;
    // The socket is on this machine: the first controller is the active one.
    if (found.empty())
      endpoint.unix_path = directory_of(settings.slurmctld_pid_file) + "/slurmctld.sock";
    endpoint.host = host.address;
    endpoint.port = settings.slurmctld_port;
    endpoint.server_uid = slurm_user;
    if (!settings.cluster_name.empty())
      endpoint.server_name = controller_server_name(settings.cluster_name);
    endpoint.use_munge = settings.use_munge;
    endpoint.munge_socket = settings.munge_socket;
    found.push_back(std::move(endpoint));
  }
  return found;
}

Endpoint database_endpoint(const DatabaseAddress& address, Uid slurm_user) {
  Endpoint endpoint;
  endpoint.host = address.host;
  endpoint.port = address.port == 0 ? config::kSlurmdbdPort : address.port;
  endpoint.server_uid = slurm_user;
  endpoint.server_name = kDatabaseServerName;
  endpoint.munge_socket = address.munge_socket;
  return endpoint;
}

}  // namespace muster::io
