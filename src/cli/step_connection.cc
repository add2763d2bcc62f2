#include "cli/step_connection.h"

#include <fmt/format.h>

namespace muster::cli {

namespace {

std::string directory_of(const std::string& path) { return path.substr(0, path.rfind('/')); }

}  // namespace

Result<io::Channel> connect_to_node(const ClientConfig& config, const wire::StepPlace& place) {
  io::Endpoint endpoint;
  if (!config.endpoints.empty()) {
    const io::Endpoint& controller = config.endpoints.front();
    endpoint.unix_path =
        fmt::format("{}/slurmd.{}.sock", directory_of(controller.unix_path), place.node.view());
    endpoint.use_munge = controller.use_munge;
    endpoint.munge_socket = controller.munge_socket;
    // A slurmd is root's, or, in a cluster of a single user, that user's.
    endpoint.server_uid = controller.use_munge ? std::optional(Uid{0}) : controller.server_uid;
  }
  endpoint.host = place.address.str();
  endpoint.port = static_cast<std::uint16_t>(place.port);
  return io::Channel::connect(endpoint, config.message_timeout);
}

}  // namespace muster::cli
