// The Server of server.h: accepts, shakes hands (handshake.h), then passes frames on.
#include "io/server.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "base/codec.h"
#include "io/channel_connect.h"
#include "io/listener.h"
#include "io/log.h"
#include "io/log_limit.h"
#include "io/server_members.h"
#include "io/server_sockets.h"

namespace muster::io {

namespace {

// For the log: the codes' own texts speak to users of commands.
std::string reason(const Error& why) { return why.detail.empty() ? why.text() : why.detail; }

constexpr std::size_t kReservedFiles = 256;  // of the limit, for everything that is no connection

// Everything that outlives the Server while work is under way; shared by that work.
class Core : public std::enable_shared_from_this<Core> {
 public:
  Core(Loop& loop, ServerOptions options, Server::Handlers handlers)
      : loop_(loop), options_(std::move(options)), handlers_(std::move(handlers)) {
    const std::size_t files = raise_file_limit(options_.max_connections + kReservedFiles);
    const std::size_t room = files > 2 * kReservedFiles ? files - kReservedFiles : files / 2;
    options_.max_connections = std::min(options_.max_connections, room);
  }

  Result<void> listen();
  void stop_listening();
  void stop();  // no handler is called after it
  Members& members() { return members_; }
  std::uint16_t port() const { return port_; }

 private:
  void accept_on(int fd, bool is_tcp);
  void admit(int fd, bool is_tcp);
  bool make_room();
  void on_frame(const MemberPtr& member, std::string frame);
  void on_greeting(const MemberPtr& member, std::string_view frame);
  void on_checked(const MemberPtr& member, const Result<Accepted>& accepted);
  void refuse_for_clock(const MemberPtr& member, const Accepted& who);
  void open(const MemberPtr& member);
  void refuse(const MemberPtr& member, Error why);
  void on_end(const MemberPtr& member, const Error& why);
  void sweep();
  void schedule_sweep();
  Millis sweep_interval() const;

  Loop& loop_;
  ServerOptions options_;
  const Server::Handlers handlers_;
  Members members_;
  std::atomic<ConnectionId> next_id_{1};
  LogLimit refusals_{20, Millis{10000}};
  std::uint16_t port_ = 0;

  std::shared_mutex gate_;  // held shared while a handler runs: stop() waits for them
  bool is_stopped_ = false;

  std::mutex listeners_mutex_;  // guards what follows
  std::vector<int> listeners_;  // duplicates of the sockets, to shut them down from any thread
  ino_t socket_inode_ = 0;      // of unix_path: a successor's socket must not be removed
};

Result<void> Core::listen() {
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

void Core::accept_on(int fd, bool is_tcp) {
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

void Core::stop_listening() {
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

void Core::stop() {
  stop_listening();
  {
    const std::unique_lock lock(gate_);
    is_stopped_ = true;
  }
  for (const MemberPtr& member : members_.all())
    member->connection->abort({ErrorCode::communication, "the server stopped"});
}

void Core::admit(int fd, bool is_tcp) {
  if (members_.size() >= options_.max_connections && !make_room()) {
    refusals_.write(LogLevel::error,
                    fmt::format("refused a connection: {} are open already", members_.size()));
    ::close(fd);
    return;
  }
  auto member = std::make_shared<Member>();
  if (is_tcp) {
    set_tcp_options(fd);
    member->peer.address = tcp_peer_address(fd);
  } else if (auto peer = unix_peer(fd)) {
    member->peer = *peer;
  } else {
    refusals_.write(LogLevel::error, fmt::format("refused a connection: {}", reason(peer.error())));
    ::close(fd);
    return;
  }
  member->id = next_id_++;
  member->is_tcp = is_tcp;
  member->hello = make_server_hello(options_.server_name, is_tcp);
  member->accepted_at = std::chrono::steady_clock::now();
  member->connection =
      Connection::create(loop_, fd, {}, kMaxHandshakeFrameBytes, options_.max_queued_bytes);
  members_.add(member);
  auto self = shared_from_this();
  member->connection->start(
      {.on_frame = [self, member](std::string frame) { self->on_frame(member, std::move(frame)); },
       .on_end = [self, member](const Error& why) { self->on_end(member, why); }});
  // Over a Unix socket the client speaks first, so that our hello and its answer share a write.
  if (is_tcp) member->connection->send(encode(member->hello));
}

// Those who did not yet say who they are have to go first, the oldest before the others.
bool Core::make_room() {
  const MemberPtr oldest = members_.oldest_half_open();
  if (!oldest) return false;
  members_.remove(oldest->id);
  refuse(oldest, {ErrorCode::communication, "there is no room for peers that do not greet"});
  return true;
}

void Core::on_frame(const MemberPtr& member, std::string frame) {
  switch (member->stage) {
    case Stage::greeting:
      return on_greeting(member, frame);
    case Stage::checking:
      return refuse(member,
                    {ErrorCode::communication, "it went on before its credential was checked"});
    case Stage::open: {
      const std::shared_lock lock(gate_);
      if (!is_stopped_ && handlers_.on_frame) handlers_.on_frame(member->id, std::move(frame));
    }
  }
}

void Core::on_greeting(const MemberPtr& member, std::string_view frame) {
  auto client = read_client_hello(frame);
  if (!client) return refuse(member, client.error());
  member->peer.role = client->role;
  if (!member->is_tcp) {
    member->connection->send(encode(member->hello));
    return open(member);
  }
  member->stage = Stage::checking;
  loop_.run_blocking([self = shared_from_this(), member, client = std::move(*client)] {
    auto accepted = accept_credential(client, member->hello, self->options_.munge_socket);
    member->connection->run(
        [self, member, accepted = std::move(accepted)] { self->on_checked(member, accepted); });
  });
}

void Core::on_checked(const MemberPtr& member, const Result<Accepted>& accepted) {
  if (!members_.find(member->id)) return;  // it left, or was too slow
  if (!accepted) return refuse(member, accepted.error());
  member->peer.uid = accepted->uid;
  member->peer.gid = accepted->gid;
  if (accepted->clock_ahead) return refuse_for_clock(member, *accepted);
  member->connection->session().start_sealing(accepted->key, true);
  member->connection->send(encode(Welcome{.version = kProtocolVersion}));
  open(member);
}

void Core::refuse_for_clock(const MemberPtr& member, const Accepted& who) {
  const Seconds ahead = *who.clock_ahead;
  {
    const std::shared_lock lock(gate_);
    if (!is_stopped_ && handlers_.on_clock_difference)
      handlers_.on_clock_difference(member->peer, who.client_name, ahead);
  }
  refuse(member,
         {ErrorCode::access_denied, fmt::format("munge: its clock is {} s {} this machine's",
                                                (ahead.count() < 0 ? -ahead : ahead).count(),
                                                ahead.count() < 0 ? "behind" : "ahead of")});
}

void Core::open(const MemberPtr& member) {
  member->connection->session().set_max_frame_bytes(options_.max_frame_bytes);
  member->connection->session().set_peer(member->peer.uid, member->peer.gid);
  member->stage = Stage::open;
  members_.mark_open(*member);
  const std::shared_lock lock(gate_);
  if (!is_stopped_ && handlers_.on_open) handlers_.on_open(member->id, member->peer);
}

void Core::refuse(const MemberPtr& member, Error why) {
  refusals_.write(LogLevel::error, fmt::format("closed the connection of {}: {}",
                                               member->peer.address, reason(why)));
  member->connection->abort({ErrorCode::zero_bytes, {}});
}

void Core::on_end(const MemberPtr& member, const Error& why) {
  members_.remove(member->id);
  // A peer that just leaves is no news; one that breaks the rules is. After refuse() it was told.
  const bool broke_rules = member->stage != Stage::open || why.code == ErrorCode::too_large ||
                           why.code == ErrorCode::access_denied;
  if (why.code != ErrorCode::zero_bytes)
    refusals_.write(
        broke_rules ? LogLevel::error : LogLevel::verbose,
        fmt::format("the connection of {} ended: {}", member->peer.address, reason(why)));
  if (member->stage != Stage::open) return;
  const std::shared_lock lock(gate_);
  if (!is_stopped_ && handlers_.on_close) handlers_.on_close(member->id);
}

void Core::sweep() {
  const auto now = std::chrono::steady_clock::now();
  for (const MemberPtr& member : members_.all()) {
    if (member->stage != Stage::open) {
      if (now - member->accepted_at > options_.handshake_timeout)
        refuse(member, {ErrorCode::timed_out, "it did not greet in time"});
      continue;
    }
    const Connection::Waiting waiting = member->connection->waiting();
    if (waiting.for_the_rest > options_.stall_timeout)
      refuse(member, {ErrorCode::timed_out, "it began a message and did not end it"});
    else if (waiting.for_the_socket > options_.stall_timeout)
      refuse(member, {ErrorCode::timed_out, "it does not read what is sent to it"});
    else if (options_.idle_timeout > Millis{0} && waiting.for_a_frame > options_.idle_timeout)
      member->connection->close();
  }
}

Millis Core::sweep_interval() const {
  Millis shortest = std::min(options_.handshake_timeout, options_.stall_timeout);
  if (options_.idle_timeout > Millis{0}) shortest = std::min(shortest, options_.idle_timeout);
  return std::clamp(shortest / 4, Millis{10}, Millis{1000});
}

void Core::schedule_sweep() {
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

class AsyncServer final : public Server {
 public:
  explicit AsyncServer(std::shared_ptr<Core> core) : core_(std::move(core)) {}
  ~AsyncServer() override { core_->stop(); }

  void send(ConnectionId to, std::string frame) override {
    if (const MemberPtr member = core_->members().find(to))
      member->connection->send(std::move(frame));
  }
  std::optional<std::size_t> unsent_bytes(ConnectionId id) const override {
    const MemberPtr member = core_->members().find(id);
    return member ? std::optional(member->connection->unsent_bytes()) : std::nullopt;
  }
  void close(ConnectionId id) override {
    if (const MemberPtr member = core_->members().find(id)) member->connection->close();
  }
  void finish(ConnectionId id) override {
    if (const MemberPtr member = core_->members().find(id)) member->connection->finish();
  }
  std::pair<int, SessionState> release(ConnectionId id) override {
    const MemberPtr member = core_->members().find(id);
    if (!member) return {-1, {}};
    core_->members().remove(id);
    return member->connection->release();
  }
  void stop_listening() override { core_->stop_listening(); }
  std::uint16_t port() const override { return core_->port(); }
  std::size_t connections() const override { return core_->members().size(); }

 private:
  const std::shared_ptr<Core> core_;  // shared with the work under way on the loop
};

}  // namespace

Result<std::unique_ptr<Server>> Server::listen(Loop& loop, ServerOptions options,
                                               Handlers handlers) {
  auto core = std::make_shared<Core>(loop, std::move(options), std::move(handlers));
  if (auto listening = core->listen(); !listening) return std::unexpected(listening.error());
  return std::make_unique<AsyncServer>(std::move(core));
}

}  // namespace muster::io
