// The Server of server.h: accepts connections, passes frames on, and closes silent connections.
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "base/codec/codec.h"
#include "io/log.h"
#include "io/net/channel_connect.h"
#include "io/net/listener.h"
#include "io/net/server_core.h"
#include "io/net/server_sockets.h"

namespace muster::io {

namespace {
constexpr std::size_t kReservedFiles = 256;  // descriptors for everything but connections
}  // namespace

ServerCore::ServerCore(Loop& loop, ServerOptions options, Server::Handlers handlers)
    : loop_(loop), options_(std::move(options)), handlers_(std::move(handlers)) {
  const std::size_t files = raise_file_limit(options_.max_connections + kReservedFiles);
  const std::size_t room = files > 2 * kReservedFiles ? files - kReservedFiles : files / 2;
  options_.max_connections = std::min(options_.max_connections, room);
  user_limits_ = std::make_shared<UserLimits>(loop_, options_);
}

Result<void> ServerCore::listen() {
  if (!options_.unix_path.empty()) {
    auto fd = listen_unix(options_.unix_path);
    if (!fd) return std::unexpected(fd.error());
    struct stat status{};
    if (::stat(options_.unix_path.c_str(), &status) == 0) socket_inode_ = status.st_ino;
    accept_on(*fd, false);
  }
  if (options_.use_munge && (options_.port != 0 || options_.any_port)) {
    auto fd = listen_tcp(options_.bind_address, options_.any_port ? 0 : options_.port);
    if (!fd) {
      stop_listening();
      return std::unexpected(fd.error());
    }
    if (Uid{::geteuid()} != options_.munge_decoder_uid)
      log_error(
          "runs as uid {}, but clients restrict their credentials to uid {}: they will be refused",
          ::geteuid(), options_.munge_decoder_uid.value);
    port_ = port_of(*fd);
    accept_on(*fd, true);
  }
  schedule_sweep();
  return {};
}

void ServerCore::accept_on(int fd, bool is_tcp) {
  {
    const std::lock_guard lock(listeners_mutex_);
    listeners_.push_back(::fcntl(fd, F_DUPFD_CLOEXEC, 0));
  }
  start_listener(loop_, fd,
                 {.on_accept = [self = shared_from_this(),
                                is_tcp](int socket) { self->admit(socket, is_tcp); },
                  .on_trouble =
                      [self = shared_from_this()](std::string_view why) {
                        self->refusals_.write(LogLevel::error,
                                              fmt::format("cannot accept a connection: {}", why));
                        self->make_room();
                      }});
}

void ServerCore::stop_listening() {
  const std::lock_guard lock(listeners_mutex_);
  for (const int fd : listeners_) {
    ::shutdown(fd, SHUT_RDWR);
    ::close(fd);
  }
  listeners_.clear();
  struct stat status{};
  if (socket_inode_ != 0 && ::stat(options_.unix_path.c_str(), &status) == 0 &&
      status.st_ino == socket_inode_)
    ::unlink(options_.unix_path.c_str());
  socket_inode_ = 0;
}

void ServerCore::stop() {
  stop_listening();
  {
    const std::unique_lock lock(gate_);
    is_stopped_ = true;
  }
  for (const ClientPtr& client : clients_.all())
    client->connection->abort({ErrorCode::communication, "the server stopped"});
}

void ServerCore::admit(int fd, bool is_tcp) {
  if (clients_.size() >= options_.max_connections && !make_room()) {
    refusals_.write(LogLevel::error,
                    fmt::format("refused a connection: {} are open already", clients_.size()));
    ::close(fd);
    return;
  }
  auto client = std::make_shared<Client>();
  if (is_tcp) {
    set_tcp_options(fd);
    client->peer.address = tcp_peer_address(fd);
  } else if (auto peer = unix_peer(fd)) {
    client->peer = *peer;
  } else {
    refusals_.write(LogLevel::error,
                    fmt::format("refused a connection: {}", reason_in_log(peer.error())));
    ::close(fd);
    return;
  }
  client->id = next_id_++;
  client->is_tcp = is_tcp;
  client->hello = make_server_hello(options_.server_name, is_tcp);
  client->accepted_at = std::chrono::steady_clock::now();
  client->connection =
      Connection::create(loop_, fd, {}, kMaxHandshakeFrameBytes, options_.max_queued_bytes);
  clients_.add(client);
  auto self = shared_from_this();
  client->connection->start(
      {.on_frame = [self, client](std::string frame) { self->on_frame(client, std::move(frame)); },
       .on_end = [self, client](const Error& why) { self->on_end(client, why); },
       .may_take =
           [self, client](std::size_t bytes, bool is_whole) {
             return self->user_limits_->may_take(client, bytes, is_whole);
           }});
  // Over a Unix socket the client speaks first, so that our hello and our first answer share a
  // write.
  if (is_tcp) client->connection->send(encode(client->hello));
}

// Closes the oldest connection that has not authenticated itself. False if there is none.
bool ServerCore::make_room() {
  const ClientPtr oldest = clients_.oldest_half_open();
  if (!oldest) return false;
  forget(oldest);
  refuse(oldest, {ErrorCode::communication, "there is no room for peers that do not greet"});
  return true;
}

void ServerCore::on_frame(const ClientPtr& client, std::string frame) {
  switch (client->stage) {
    case Stage::greeting:
      return on_greeting(client, frame);
    case Stage::checking:
      return refuse(client,
                    {ErrorCode::communication, "it went on before its credential was checked"});
    case Stage::open: {
      const auto began = std::chrono::steady_clock::now();
      {
        const std::shared_lock lock(gate_);
        if (!is_stopped_ && handlers_.on_frame) handlers_.on_frame(client->id, std::move(frame));
      }
      return user_limits_->on_taken(client, std::chrono::steady_clock::now() - began);
    }
    case Stage::turned_away:
      return;
  }
}

void ServerCore::forget(const ClientPtr& client) {
  clients_.remove(client->id);
  user_limits_->leave(client);
}

void ServerCore::open(const ClientPtr& client) {
  client->connection->session().set_max_frame_bytes(options_.max_frame_bytes);
  client->connection->session().set_peer(client->peer.uid, client->peer.gid);
  client->stage = Stage::open;
  clients_.mark_open(*client);
  const std::shared_lock lock(gate_);
  if (!is_stopped_ && handlers_.on_open) handlers_.on_open(client->id, client->peer);
}

void ServerCore::on_end(const ClientPtr& client, const Error& why) {
  forget(client);
  if (client->stage == Stage::open) {  // first: the rest needs memory
    const std::shared_lock lock(gate_);
    if (!is_stopped_ && handlers_.on_close) handlers_.on_close(client->id);
  }
  // A peer that just leaves is not worth logging; one that breaks the rules is. refuse() has
  // already logged its own reason.
  const bool broke_rules = client->stage != Stage::open || why.code == ErrorCode::too_large ||
                           why.code == ErrorCode::access_denied;
  if (why.code != ErrorCode::zero_bytes)
    refusals_.write(
        broke_rules ? LogLevel::error : LogLevel::verbose,
        fmt::format("the connection of {} ended: {}", client->peer.address, reason_in_log(why)));
}

void ServerCore::sweep() {
  const auto now = std::chrono::steady_clock::now();
  for (const ClientPtr& client : clients_.all()) {
    if (client->stage != Stage::open) {
      if (now - client->accepted_at > options_.handshake_timeout)
        refuse(client, {ErrorCode::timed_out, "it did not greet in time"});
      continue;
    }
    const Connection::Waiting waiting = client->connection->waiting();
    if (waiting.for_the_rest > options_.stall_timeout)
      refuse(client, {ErrorCode::timed_out, "it began a message and did not end it"});
    else if (waiting.for_the_socket > options_.stall_timeout)
      refuse(client, {ErrorCode::timed_out, "it does not read what is sent to it"});
    else if (options_.idle_timeout > Millis{0} && waiting.for_a_frame > options_.idle_timeout &&
             !client->connection->is_paused() && !is_needed(*client))
      client->connection->close();
  }
}

bool ServerCore::is_needed(const Client& client) const {
  const std::shared_lock lock(gate_);
  return is_stopped_ || (handlers_.is_needed && handlers_.is_needed(client.id));
}

Millis ServerCore::sweep_interval() const {
  Millis shortest = std::min(options_.handshake_timeout, options_.stall_timeout);
  if (options_.idle_timeout > Millis{0}) shortest = std::min(shortest, options_.idle_timeout);
  return std::clamp(shortest / 4, Millis{10}, Millis{1000});
}

void ServerCore::schedule_sweep() {
  loop_.after(sweep_interval(), [weak = weak_from_this()] {
    const auto self = weak.lock();
    if (!self) return;
    {
      const std::shared_lock lock(self->gate_);
      if (self->is_stopped_) return;
    }
    self->sweep();
    self->schedule_sweep();
  });
}

namespace {

class AsyncServer final : public Server {
 public:
  explicit AsyncServer(std::shared_ptr<ServerCore> core) : core_(std::move(core)) {}
  ~AsyncServer() override { core_->stop(); }

  void send(ConnectionId to, std::string frame) override {
    if (const ClientPtr client = core_->clients().find(to))
      client->connection->send(std::move(frame));
  }
  std::optional<std::size_t> unsent_bytes(ConnectionId id) const override {
    const ClientPtr client = core_->clients().find(id);
    return client ? std::optional(client->connection->unsent_bytes()) : std::nullopt;
  }
  void close(ConnectionId id) override {
    if (const ClientPtr client = core_->clients().find(id)) client->connection->close();
  }
  void finish(ConnectionId id) override {
    if (const ClientPtr client = core_->clients().find(id)) client->connection->finish();
  }
  void pause(ConnectionId id) override {
    if (const ClientPtr client = core_->clients().find(id)) client->connection->pause(Pause::work);
  }
  void resume(ConnectionId id) override {
    if (const ClientPtr client = core_->clients().find(id))
      client->connection->run([client] { client->connection->resume(Pause::work); });
  }
  bool is_open(ConnectionId id) const override {
    const ClientPtr client = core_->clients().find(id);
    return client && !client->connection->is_over();
  }
  bool may_answer(Uid user) const override { return core_->user_limits().may_answer(user); }
  void set_max_user_connections(std::size_t most) override {
    core_->user_limits().set_max_user_connections(most);
  }
  std::pair<int, SessionState> release(ConnectionId id) override {
    const ClientPtr client = core_->clients().find(id);
    if (!client) return {-1, {}};
    core_->forget(client);
    return client->connection->release();
  }
  void stop_listening() override { core_->stop_listening(); }
  std::uint16_t port() const override { return core_->port(); }
  std::size_t connections() const override { return core_->clients().size(); }

 private:
  const std::shared_ptr<ServerCore> core_;  // shared with pending work on the loop
};

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(Loop& loop, ServerOptions options,
                                               Handlers handlers) {
  auto core = std::make_shared<ServerCore>(loop, std::move(options), std::move(handlers));
  if (auto listening = core->listen(); !listening) return std::unexpected(listening.error());
  return std::make_unique<AsyncServer>(std::move(core));
}

}  // namespace muster::io
