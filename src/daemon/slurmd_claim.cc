#include "daemon/slurmd_claim.h"

#include "base/codec.h"
#include "config/slurm_conf.h"
#include "daemon/slurmd_config.h"
#include "io/channel.h"
#include "io/files.h"
#include "wire/client_messages.h"

namespace muster {

namespace {

wire::ClaimNodeRequest request_of(const io::Hardware& hardware, const std::string& feature) {
  wire::ClaimNodeRequest request{.by = {hardware.host_name, hardware.host_name},
                                 .feature = feature};
  request.facts.cpus = hardware.cpus;
  request.facts.sockets = hardware.sockets;
  request.facts.cores = hardware.cores_per_socket;
  request.facts.threads = hardware.threads_per_core;
  return request;
}

Result<std::string> ask(io::Channel channel, const wire::ClaimNodeRequest& request,
                        Millis timeout) {
  if (auto sent = channel.send(encode(wire::RequestFrame{1, request})); !sent)
    return std::unexpected(sent.error());
  auto bytes = channel.receive(timeout);
  if (!bytes) return std::unexpected(bytes.error());
  auto frame = decode<wire::ReplyFrame>(*bytes);
  if (!frame) return std::unexpected(frame.error());
  if (auto* error = std::get_if<Error>(&frame->answer)) return std::unexpected(*error);
  auto* reply = std::get_if<wire::ClaimNodeReply>(&frame->answer);
  if (!reply) return fail("slurmctld does not know nodes of the future");
  return reply->name.str();
}

}  // namespace

Result<std::string> claim_node(const std::string& config_path, const io::Hardware& hardware,
                               const std::string& feature) {
  auto conf = config::load_slurm_conf(io::read_file, config_path);
  if (!conf) return std::unexpected(conf.error());
  auto controllers = controllers_of(*conf);
  if (!controllers) return std::unexpected(controllers.error());
  Error last{ErrorCode::communication, {}};
  for (const io::Endpoint& controller : *controllers) {
    auto channel = io::Channel::connect(controller, conf->message_timeout);
    if (channel)
      return ask(std::move(*channel), request_of(hardware, feature), conf->message_timeout);
    last = channel.error();
  }
  return std::unexpected(last);
}

}  // namespace muster
