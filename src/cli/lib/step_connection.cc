// Connects a command to the nodes of a step.
#include "cli/lib/step_connection.h"

#include <unistd.h>

#include "base/codec/codec.h"
#include "cli/lib/paths.h"

namespace muster::cli {

wire::NodeAccess access_to_nodes(const ClientConfig& config) {
  wire::NodeAccess access;
  access.timeout = config.message_timeout;
  if (config.endpoints.empty()) return access;
  const io::Endpoint& controller = config.endpoints.front();
  access.socket_dir = directory_of(controller.unix_path);
  access.use_munge = controller.use_munge;
  access.munge_socket = controller.munge_socket;
  // A slurmd runs as root or, in a cluster of a single user, as that user.
  access.slurmd_user =
      controller.use_munge ? Uid{0} : controller.server_uid.value_or(Uid{geteuid()});
  return access;
}

wire::Branch branch_of(const wire::StepPlace& place, std::size_t number) {
  return {.place = static_cast<std::uint32_t>(number),
          .node = place.node,
          .address = place.address,
          .port = place.port,
          .job = place.job,
          .attempt = place.attempt,
          .key = place.key};
}

wire::Branch branch_below(const ClientConfig& config, const wire::StepPlace& place,
                          std::size_t number) {
  wire::Branch branch = branch_of(place, number);
  const bool over_tcp = !config.endpoints.empty() && config.endpoints.front().use_munge;
  if (over_tcp) branch.address = io::numeric_address(branch.address.str());
  return branch;
}

Result<io::Channel> connect_to_node(const ClientConfig& config, const wire::StepPlace& place) {
  return io::connect_to_node(access_to_nodes(config), branch_of(place, 0));
}

Result<wire::StepUsage> ask_usage(const ClientConfig& config, const wire::StepRef& ref,
                                  std::string_view key, const wire::StepPlace& place) {
  auto channel = connect_to_node(config, place);
  if (!channel) return std::unexpected(channel.error());
  wire::AttachRequest request{.ref = ref, .key = key, .wants_output = false, .sends_input = false};
  if (auto sent = channel->send(encode(wire::NodeCall{request})); !sent)
    return std::unexpected(sent.error());
  if (auto sent = channel->send(encode(wire::ToStepFrame{wire::UsageRequest{}})); !sent)
    return std::unexpected(sent.error());
  while (true) {
    auto frame = channel->receive(config.message_timeout);
    if (!frame) return std::unexpected(frame.error());
    auto message = decode<wire::FromStepFrame>(*frame);
    if (!message) return fail(ErrorCode::protocol_version);
    if (auto* usage = std::get_if<wire::StepUsage>(&message->message)) return std::move(*usage);
    if (auto* said = std::get_if<wire::StepMessage>(&message->message)) return fail(said->text);
    if (std::holds_alternative<wire::StepFinished>(message->message))
      return fail(ErrorCode::already_done);
  }
}

}  // namespace muster::cli
