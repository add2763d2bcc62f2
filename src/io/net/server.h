// Server: listens on TCP and Unix sockets, authenticates every peer, and hands whole frames to its
// owner on a Loop. A peer that sends rubbish, stalls or floods costs its own connection only.
// Dialer: the client end of a long-lived connection (slurmd to slurmctld) that connects again by
// itself. Both must be destroyed before their Loop; their destructors return when no handler runs
// any more, so they must not be called from within a handler. Handlers may run before listen() or
// start() has returned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/loop/loop.h"
#include "io/net/channel.h"

namespace muster::io {

using ConnectionId = std::uint64_t;

struct Peer {
  Uid uid;
  Gid gid;
  std::string address;  // "127.0.0.1:41234" or "unix"
  PeerRole role = PeerRole::client;
};

struct ServerOptions {
  std::string unix_path;  // empty = no Unix socket; mode 0777, peers are told apart by SO_PEERCRED
  std::string bind_address;  // empty = all addresses
  std::uint16_t port = 0;    // 0 = no TCP
  bool any_port = false;     // TCP on a port that the system chooses: see Server::port()
  bool use_munge = true;
  Uid munge_decoder_uid;    // credentials of clients are restricted to this uid (SlurmUser, or root
                            // on a slurmd)
  std::string server_name;  // bound into the handshake
  std::size_t max_connections = 20000;  // an eighth of them for operators alone
  Millis handshake_timeout{10000};
  Millis idle_timeout{0};  // 0 = none; see Handlers::is_needed
  Millis stall_timeout{
      60000};  // a frame begun must be whole, and queued bytes must move, within this
  std::size_t max_frame_bytes = kMaxFrameBytes;  // from a peer that has greeted
  std::size_t max_queued_bytes = 256u << 20;     // per connection, then it is closed
  std::string munge_socket;                      // empty = munge's own default

  // What one user's connections may take together (server_shares.h), and all users'. Operators have
  // places of their own and none of these limits.
  std::function<bool(Uid)> is_operator;            // empty = nobody is
  std::size_t max_user_connections = 0;            // 0 = a quarter of the places
  std::size_t max_user_coming_bytes = 128u << 20;  // of large messages that are not whole yet
  std::size_t max_coming_bytes = std::size_t{1} << 30;
  std::size_t max_user_queued_bytes = 64u << 20;  // beyond that nothing is read from him
  std::size_t max_all_queued_bytes = std::size_t{1} << 30;
};

class Server {
 public:
  struct Handlers {  // called on the loop
    std::function<void(ConnectionId, const Peer&)> on_open;
    std::function<void(ConnectionId, std::string frame)> on_frame;
    std::function<void(ConnectionId)> on_close;
    // A peer that is refused, since its clock is that much ahead of ours: who it says it is.
    std::function<void(const Peer&, const std::string& name, Seconds ahead)> on_clock_difference =
        {};
    // Whether a connection that has long been silent waits for something. Empty = none does.
    std::function<bool(ConnectionId)> is_needed = {};
  };
  static Result<std::unique_ptr<Server>> listen(Loop& loop, ServerOptions options,
                                                Handlers handlers);
  virtual ~Server() = default;

  virtual void send(ConnectionId to, std::string frame) = 0;  // thread-safe; unknown id = dropped
  // How much of what was sent has not left yet; nothing where the connection is gone. Thread-safe.
  virtual std::optional<std::size_t> unsent_bytes(ConnectionId id) const = 0;
  virtual void close(ConnectionId id) = 0;  // after what is queued was sent
  // Nothing more is read from it until what it has asked for is done. On the loop; thread-safe.
  virtual void pause(ConnectionId id) = 0;
  virtual void resume(ConnectionId id) = 0;
  virtual bool is_open(ConnectionId id) const = 0;  // thread-safe
  // Whether the user reads the answers he gets, so that there is room for more. Thread-safe.
  virtual bool may_answer(Uid user) const = 0;
  virtual void set_max_user_connections(std::size_t most) = 0;  // thread-safe; 0 = the default
  virtual void finish(ConnectionId id) = 0;  // the same for a peer that sends no more
  // Takes the socket out of the server (on_close is not called); fd < 0 if it is gone.
  // Only from within on_frame of that connection.
  virtual std::pair<int, SessionState> release(ConnectionId id) = 0;
  virtual void stop_listening() = 0;
  virtual std::uint16_t port() const = 0;       // the TCP port in use, 0 = none
  virtual std::size_t connections() const = 0;  // open ones and those still shaking hands
};

class Dialer {
 public:
  struct Handlers {
    std::function<void()> on_connected;
    std::function<void(std::string frame)> on_frame;
    std::function<void(const Error& why)>
        on_lost;  // connecting failed or the connection broke; tries again
  };
  static std::unique_ptr<Dialer> start(Loop& loop, std::vector<Endpoint> endpoints,
                                       Handlers handlers, Millis retry_min = Millis{100},
                                       Millis retry_max = Millis{5000});
  virtual ~Dialer() = default;
  virtual void send(std::string frame) = 0;  // dropped while not connected
  virtual void close() = 0;
};

}  // namespace muster::io
