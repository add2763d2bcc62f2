#include "cli/step_connection.h"

#include <fmt/format.h>

#include "base/codec.h"

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

Result<wire::StepUsage> ask_usage(const ClientConfig& config, const wire::StepRef& ref,
                                  const std::string& key, const wire::StepPlace& place) {
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
