// Finds the cluster, and exchanges messages with its controller.
#include "cli/lib/controller.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <thread>
#include <utility>

#include <fmt/format.h>

#include "base/codec/codec.h"
#include "base/install_paths.h"
#include "base/text/slow_down.h"
#include "base/text/strings.h"
#include "cli/lib/name_service.h"
#include "cli/lib/notices.h"
#include "cli/lib/paths.h"
#include "config/client_settings.h"
#include "io/files.h"
#include "io/net/controllers.h"
#include "io/net/handshake.h"
#include "wire/parts.h"

namespace muster::cli {

namespace {

bool exists(const std::string& path) {
  struct stat status{};
  return ::stat(path.c_str(), &status) == 0;
}

Result<config::ClientSettings> read_settings(const std::string& path) {
  auto text = io::read_file(path);
  if (!text) return std::unexpected(text.error());
  auto quick = config::quick_client_settings(*text, path);
  if (!quick) return std::unexpected(quick.error());
  if (quick->is_whole) return std::move(quick->settings);
  auto conf = config::load_slurm_conf(io::read_file, path);
  if (!conf) return std::unexpected(conf.error());
  return config::client_settings(*conf);
}

std::optional<Uid> uid_of(const std::string& user) {
  if (user == "root") return Uid{0};  // known without the name service
  if (auto number = parse_number<std::uint32_t>(user)) return Uid{*number};
  if (auto entry = user_named(user)) return entry->uid;
  return std::nullopt;
}

Result<ClientConfig> from_file(const std::string& path) {
  auto settings = read_settings(path);
  if (!settings) return std::unexpected(settings.error());
  auto user = uid_of(settings->slurm_user);
  if (!user) return fail(fmt::format("{}: SlurmUser={}: no such user", path, settings->slurm_user));
  ClientConfig found{std::move(*settings)};
  found.path = path;
  found.endpoints = io::controller_endpoints(found, *user);
  if (found.uses_slurmdbd)
    found.accounting_endpoints = {io::database_endpoint(
        {found.accounting_host, found.accounting_port, found.munge_socket}, *user)};
  return found;
}

}  // namespace

std::string embedded_directory() {
  // The XDG specification says to ignore a relative path.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state && *state == '/')
    return std::string(state) + "/muster";
  std::string home;
  if (const char* given = std::getenv("HOME"); given && *given)
    home = given;
  else if (auto user = user_with(Uid{::getuid()}))
    home = user->home;
  return home + "/.local/state/muster";
}

Result<ClientConfig> embedded_cluster() {
  std::string base = embedded_directory();
  ClientConfig config{config::default_client_settings()};
  if (std::string path = base + "/etc/slurm.conf"; exists(path)) {
    auto read = from_file(path);
    if (!read) return read;
    config = std::move(*read);
    config.path.clear();
    config.endpoints.clear();
  }
  io::Endpoint endpoint;
  endpoint.unix_path = base + "/run/slurmctld.sock";
  endpoint.server_uid = Uid{::getuid()};
  endpoint.use_munge = false;
  if (!config.cluster_name.empty())
    endpoint.server_name = io::controller_server_name(config.cluster_name);
  config.endpoints.push_back(std::move(endpoint));
  return config;
}

bool is_embedded(const ClientConfig& config) {
  return config.path.empty() || config.path == embedded_directory() + "/etc/slurm.conf";
}

std::string login_path_file() { return embedded_directory() + "/etc/login.sh"; }

std::optional<std::string> other_configuration() {
  if (const char* path = std::getenv("SLURM_CONF"); path && *path) return path;
  if (std::string path(kSystemConfig); exists(path)) return path;
  return std::nullopt;
}

ClientConfig for_accounting(ClientConfig config) {
  if (config.accounting_endpoints.empty()) return config;
  config.endpoints = config.accounting_endpoints;
  config.asks_slurmdbd = true;
  return config;
}

Result<ClientConfig> find_cluster() {
  if (auto path = other_configuration()) return from_file(*path);
  return embedded_cluster();
}

Result<Controller> Controller::connect() {
  auto config = find_cluster();
  if (!config) return std::unexpected(config.error());
  return connect(std::move(*config));
}

namespace {

// Waits if the controller's error asks a command to slow down.
class SlowDown {
 public:
  explicit SlowDown(std::chrono::steady_clock::duration patience = std::chrono::minutes(10))
      : give_up_(std::chrono::steady_clock::now() + patience) {}

  bool waits_for(const Error& error) {
    const auto asked = wait_asked_by(error);
    if (!asked || std::chrono::steady_clock::now() > give_up_) return false;
    waited_ += *asked;
    if (waited_ > kSaidAfter && !std::exchange(was_said_, true) && ::isatty(STDERR_FILENO) == 1)
      std::fputs("The controller has much to do for you: waiting\n", stderr);
    // A random part, so that commands do not all return at the same moment.
    const Millis spread{std::random_device{}() % (asked->count() / 4 + 1)};
    std::this_thread::sleep_for(*asked + spread);
    return true;
  }

 private:
  static constexpr Millis kSaidAfter{3000};
  const std::chrono::steady_clock::time_point give_up_;
  Millis waited_{0};
  bool was_said_ = false;
};

Result<io::Channel> open_channel(const ClientConfig& config) {
  Error last{ErrorCode::communication, {}};
  for (const io::Endpoint& endpoint : config.endpoints) {
    auto channel = io::Channel::connect(endpoint, config.message_timeout);
    if (channel || wait_asked_by(channel.error())) return channel;
    last = channel.error();
  }
  if (config.asks_slurmdbd) {
    const io::Endpoint& at = config.endpoints.front();
    last.detail = fmt::format("slurmdbd at {}:{}{}{}", at.host, at.port,
                              last.detail.empty() ? "" : ": ", last.detail);
    return std::unexpected(last);
  }
  // No controller listens: scripts know Slurm's text for that, whatever the system call was.
  if (last.code == ErrorCode::failure || last.code == ErrorCode::communication) {
    last = {ErrorCode::communication, {}};
    if (config.path.empty())
      last.detail =
          fmt::format("there is no {}, and no cluster of your own is up: `muster up` starts one",
                      kSystemConfig);
  }
  return std::unexpected(last);
}

}  // namespace

Result<Controller> Controller::connect(ClientConfig config) {
  SlowDown slow_down;
  while (true) {
    auto channel = open_channel(config);
    if (channel) return Controller(std::move(config), std::move(*channel));
    if (!slow_down.waits_for(channel.error())) return std::unexpected(channel.error());
  }
}

Result<void> Controller::reconnect() {
  auto channel = open_channel(config_);
  if (!channel) return std::unexpected(channel.error());
  channel_ = std::move(*channel);
  was_answered_ = false;
  return {};
}

Result<void> Controller::renew_if_idle() {
  constexpr std::chrono::seconds kIdle{60};
  const auto now = std::chrono::steady_clock::now();
  const bool was_idle = now - std::exchange(last_used_, now) > kIdle;
  return was_idle && !is_kept_ ? reconnect() : Result<void>{};
}

Result<void> Controller::send(const wire::Request& request) {
  is_kept_ = true;
  return send_frame(request);
}

Result<void> Controller::send_frame(const wire::Request& request) {
  return channel_.send(encode(wire::RequestFrame{next_id_++, request, is_last_}));
}

namespace {

Result<wire::ReplyFrame> receive_frame(io::Channel& channel, Millis timeout) {
  auto bytes = channel.receive(timeout);
  if (!bytes) return std::unexpected(bytes.error());
  return decode<wire::ReplyFrame>(*bytes);
}

Result<wire::Answer> answer_of(Result<wire::ReplyFrame> frame) {
  if (!frame) return std::unexpected(frame.error());
  if (auto* error = std::get_if<Error>(&frame->answer)) return std::unexpected(std::move(*error));
  return std::move(frame->answer);
}

}  // namespace

Result<wire::Answer> Controller::receive(Millis timeout) {
  return answer_of(receive_frame(channel_, timeout));
}

Result<std::optional<wire::Answer>> Controller::try_receive() {
  auto bytes = channel_.try_receive();
  if (!bytes) return std::unexpected(bytes.error());
  if (!*bytes) return std::nullopt;
  return answer_of(decode<wire::ReplyFrame>(**bytes));
}

Result<wire::ReplyFrame> Controller::try_exchange(const wire::Request& request) {
  if (auto sent = send_frame(request); !sent) return std::unexpected(sent.error());
  auto frame = receive_frame(channel_, config_.message_timeout);
  if (!frame) return frame;
  if (auto* error = std::get_if<Error>(&frame->answer)) return std::unexpected(std::move(*error));
  was_answered_ = true;
  return frame;
}

// A command whose connection was refused connects again; one that was accepted sends its request
// again.
Result<wire::ReplyFrame> Controller::exchange(const wire::Request& request) {
  SlowDown slow_down;
  auto renewed = renew_if_idle();
  auto frame = renewed ? try_exchange(request) : std::unexpected(renewed.error());
  while (!frame && slow_down.waits_for(frame.error())) {
    auto connected = was_answered_ ? Result<void>{} : reconnect();
    frame = connected ? try_exchange(request) : std::unexpected(connected.error());
  }
  return frame;
}

Result<wire::Answer> Controller::ask(const wire::Request& request) {
  std::optional<wire::Answer> whole;
  auto streamed = stream(request, [&](wire::Answer&& part) {
    if (auto* notice = std::get_if<wire::Notice>(&part))
      keep_notice(notice->text.str());
    else if (!whole)
      whole = std::move(part);
    else if (!wire::append(*whole, std::move(part)))
      whole = Error{ErrorCode::protocol_version, {}};
  });
  if (!streamed) return std::unexpected(streamed.error());
  if (!whole) return fail(ErrorCode::protocol_version);
  return std::move(*whole);
}

Result<void> Controller::stream(const wire::Request& request,
                                const std::function<void(wire::Answer&&)>& part) {
  auto frame = exchange(request);
  while (true) {
    if (!frame) return std::unexpected(frame.error());
    if (auto* error = std::get_if<Error>(&frame->answer)) return std::unexpected(std::move(*error));
    part(std::move(frame->answer));
    if (!frame->more) return {};
    frame = receive_frame(channel_, config_.message_timeout);
  }
}

}  // namespace muster::cli
