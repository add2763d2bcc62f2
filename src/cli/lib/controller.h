// The controller as commands see it: found through the configuration, asked one request at a time.
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

// The part of the configuration that a command needs, read without parsing all of slurm.conf.
struct ClientConfig : config::ClientSettings {
  std::string path;            // slurm.conf; empty = the embedded cluster
  bool asks_slurmdbd = false;  // `endpoints` are slurmdbd's
  std::vector<io::Endpoint> endpoints;
  // Where slurmdbd is, if that keeps accounting; empty = slurmctld does.
  std::vector<io::Endpoint> accounting_endpoints;
};
// The same, to ask whoever keeps accounting.
ClientConfig for_accounting(ClientConfig config);
// Commands have no -f: SLURM_CONF, else /etc/slurm/slurm.conf, else the embedded cluster.
Result<ClientConfig> find_cluster();

// The directory of this user's embedded cluster (`muster up`), whichever cluster commands use.
std::string embedded_directory();  // $XDG_STATE_HOME/muster: etc/slurm.conf, run/slurmctld.sock
Result<ClientConfig> embedded_cluster();
bool is_embedded(const ClientConfig& config);
// The file that `up` writes for BASH_ENV, see cli/muster/machine.h.
std::string login_path_file();
// The configuration that hides the embedded one: $SLURM_CONF or the system's.
std::optional<std::string> other_configuration();

class Controller {
 public:
  static Result<Controller> connect();
  static Result<Controller> connect(ClientConfig config);

  // The next request is the last: the controller may close the connection with its answer.
  void announce_last() { is_last_ = true; }
  // One request, one answer; an Error answer is returned as the error.
  Result<wire::Answer> ask(const wire::Request& request);
  template <class Reply>
  Result<Reply> ask_for(const wire::Request& request) {
    auto answer = ask(request);
    if (!answer) return std::unexpected(answer.error());
    if (auto* reply = std::get_if<Reply>(&*answer)) return std::move(*reply);
    return fail(ErrorCode::protocol_version);
  }
  // Calls `take` with each part of the answer as it arrives.
  Result<void> stream(const wire::Request& request,
                      const std::function<void(wire::Answer&&)>& part);
  // Sends without waiting: the caller polls channel() for the answer (srun, salloc).
  Result<void> send(const wire::Request& request);
  Result<wire::Answer> receive(Millis timeout);
  // The answer, if it is complete: a readable channel may hold only a part of it.
  Result<std::optional<wire::Answer>> try_receive();

  const ClientConfig& config() const { return config_; }
  io::Channel& channel() { return channel_; }

 private:
  Controller(ClientConfig config, io::Channel channel)
      : config_(std::move(config)), channel_(std::move(channel)) {}
  // Sends the request and waits for the first part of the answer. Repeats it as long as the
  // controller asks the user to slow down.
  Result<wire::ReplyFrame> exchange(const wire::Request& request);
  Result<wire::ReplyFrame> try_exchange(const wire::Request& request);
  Result<void> send_frame(const wire::Request& request);
  Result<void> reconnect();
  // The controller closes connections that are idle for long.
  Result<void> renew_if_idle();

  ClientConfig config_;
  io::Channel channel_;
  std::uint64_t next_id_ = 1;
  bool is_last_ = false;
  bool was_answered_ = false;  // over this connection
  bool is_kept_ = false;       // an answer is awaited: see send()
  std::chrono::steady_clock::time_point last_used_ = std::chrono::steady_clock::now();
};

}  // namespace muster::cli
