// slurmd -F: asks slurmctld for a node in state FUTURE until it gets one.
#include "slurmd/claim.h"

#include <thread>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "config/client_settings.h"
#include "config/slurm_conf.h"
#include "io/files.h"
#include "io/net/channel.h"
#include "slurmd/config.h"
#include "wire/client_messages.h"

namespace muster {

namespace {

constexpr Seconds kPause{1};  // before slurmctld is asked again

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
  if (!reply) return fail("slurmctld does not support slurmd -F");
  return reply->name.str();
}

// Asks the first controller that can be reached.
Result<std::string> ask_one_of(const std::vector<io::Endpoint>& controllers,
                               const wire::ClaimNodeRequest& request, Millis timeout) {
  Error last{ErrorCode::communication, {}};
  for (const io::Endpoint& controller : controllers) {
    auto channel = io::Channel::connect(controller, timeout);
    if (channel) return ask(std::move(*channel), request, timeout);
    last = channel.error();
  }
  return std::unexpected(last);
}

// No slurmctld is there, or it has gone.
bool is_silence(ErrorCode code) {
  return code == ErrorCode::communication || code == ErrorCode::zero_bytes ||
         code == ErrorCode::timed_out;
}

}  // namespace

Result<std::string> claim_node(const std::string& config_path, const io::Hardware& hardware,
                               const std::string& feature) {
  auto conf = config::load_slurm_conf(io::read_file, config_path);
  if (!conf) return std::unexpected(conf.error());
  auto controllers = controllers_of(*conf);
  if (!controllers) return std::unexpected(controllers.error());
  const auto request = request_of(hardware, feature);
  for (;;) {
    auto name = ask_one_of(*controllers, request, config::client_settings(*conf).message_timeout);
    if (name || !is_silence(name.error().code)) return name;
    fmt::print(stderr, "slurmd: {}: waiting for slurmctld\n", name.error().text());
    std::this_thread::sleep_for(kPause);
  }
}

}  // namespace muster
