// The controller as a command sees it: found by the configuration, asked one thing at a time.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/keys/settings.h"
#include "io/net/channel.h"
#include "wire/client_messages.h"

namespace muster::cli {

// What a command needs of the configuration, read without parsing all of slurm.conf.
struct ClientConfig : config::ClientSettings {
  std::string path;  // slurm.conf; empty = the embedded cluster
  std::vector<io::Endpoint> endpoints;
};
// -f is not known to commands: SLURM_CONF, /etc/slurm/slurm.conf, else the embedded cluster's.
Result<ClientConfig> find_cluster();

// The embedded cluster of this user (`muster up`), wherever the commands look.
std::string embedded_directory();  // $XDG_STATE_HOME/muster: etc/slurm.conf, run/slurmctld.sock
Result<ClientConfig> embedded_cluster();
// The configuration that commands use instead of the embedded one: $SLURM_CONF or the system's.
std::optional<std::string> other_configuration();

class Controller {
 public:
  static Result<Controller> connect();
  static Result<Controller> connect(ClientConfig config);

  // The next request is the last one: the controller may end the connection with its answer.
  void announce_last() { is_last_ = true; }
  // One request, one answer; an Error answer comes back as the error.
  Result<wire::Answer> ask(const wire::Request& request);
  template <class Reply>
  Result<Reply> ask_for(const wire::Request& request) {
    auto answer = ask(request);
    if (!answer) return std::unexpected(answer.error());
    if (auto* reply = std::get_if<Reply>(&*answer)) return std::move(*reply);
    return fail(ErrorCode::protocol_version);
  }
  // A streamed answer: each part is handed over as it comes.
  Result<void> stream(const wire::Request& request,
                      const std::function<void(wire::Answer&&)>& part);
  // Sends, and lets the caller poll channel() for the answer (srun, salloc).
  Result<void> send(const wire::Request& request);
  Result<wire::Answer> receive(Millis timeout);
  // The answer if it has come: a readable channel may hold only a part of one.
  Result<std::optional<wire::Answer>> try_receive();

  const ClientConfig& config() const { return config_; }
  io::Channel& channel() { return channel_; }

 private:
  Controller(ClientConfig config, io::Channel channel)
      : config_(std::move(config)), channel_(std::move(channel)) {}
  // Sends it and waits for the first part of the answer; asks again as long as the controller says
  // that the user asks too much.
  Result<wire::ReplyFrame> exchange(const wire::Request& request);
  Result<wire::ReplyFrame> try_exchange(const wire::Request& request);
  Result<void> send_frame(const wire::Request& request);
  Result<void> reconnect();
  // The controller closes connections that have been idle for long.
  Result<void> renew_if_idle();

  ClientConfig config_;
  io::Channel channel_;
  std::uint64_t next_id_ = 1;
  bool is_last_ = false;
  bool was_answered_ = false;  // over this connection
  bool is_kept_ = false;       // something waits for an answer: see send()
  std::chrono::steady_clock::time_point last_used_ = std::chrono::steady_clock::now();
};

}  // namespace muster::cli
