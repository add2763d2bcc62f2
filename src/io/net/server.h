// Server: listens on TCP and Unix sockets, authenticates every peer, and hands whole frames to its
// owner on a Loop. A peer that sends garbage, stalls or floods only loses its own connection.
// Dialer: the client end of a long-lived connection (slurmd to slurmctld); it reconnects by itself.
// Both must be destroyed before their Loop. Their destructors wait until no handler runs, so they
// must not be called from within a handler. Handlers may run before listen() or start() has
// returned.
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
  std::string unix_path;     // empty = no Unix socket; mode 0777, SO_PEERCRED tells who it is
  std::string bind_address;  // empty = all addresses
  std::uint16_t port = 0;    // 0 = no TCP
  bool any_port = false;     // TCP on a port that the system chooses: see Server::port()
  bool use_munge = true;
  // Clients' credentials can only be decoded by this uid (SlurmUser, or root on a slurmd).
  Uid munge_decoder_uid;
  std::string server_name;              // part of the handshake
  std::size_t max_connections = 20000;  // an eighth of these is kept for operators
  Millis handshake_timeout{10000};
  Millis idle_timeout{0};  // 0 = none; see Handlers::is_needed
  Millis stall_timeout{
      60000};  // the rest of a frame must come, and queued bytes must move, within this time
  std::size_t max_frame_bytes = kMaxFrameBytes;  // from an authenticated peer
  std::size_t max_queued_bytes = 256u << 20;     // per connection; beyond it the connection ends
  std::string munge_socket;                      // empty = munge's own default

  // Limits on the connections of one user together (server_user_limits.h), and of all users.
  // Operators have places of their own and none of these limits.
  std::function<bool(Uid)> is_operator;              // empty = nobody is
  std::size_t max_user_connections = 0;              // 0 = a quarter of the places
  std::size_t max_user_incoming_bytes = 128u << 20;  // of large, partly received messages
  std::size_t max_incoming_bytes = std::size_t{1} << 30;
  std::size_t max_user_queued_bytes = 64u << 20;  // beyond it nothing is read from the user
  std::size_t max_all_queued_bytes = std::size_t{1} << 30;
};

class Server {
 public:
  struct Handlers {  // called on the loop
    std::function<void(ConnectionId, const Peer&)> on_open;
    std::function<void(ConnectionId, std::string frame)> on_frame;
    std::function<void(ConnectionId)> on_close;
    // A peer was refused because its clock is this much ahead of ours. `name`: who it claims to be.
    std::function<void(const Peer&, const std::string& name, Seconds ahead)> on_clock_difference =
        {};
    // Whether a connection that has long been silent is still needed. Empty = none is.
    std::function<bool(ConnectionId)> is_needed = {};
  };
  static Result<std::unique_ptr<Server>> listen(Loop& loop, ServerOptions options,
                                                Handlers handlers);
  virtual ~Server() = default;

  virtual void send(ConnectionId to, std::string frame) = 0;  // thread-safe; unknown id = dropped
  // How many bytes sent have not been written yet; unset if the connection is gone. Thread-safe.
  virtual std::optional<std::size_t> unsent_bytes(ConnectionId id) const = 0;
  virtual void close(ConnectionId id) = 0;  // after queued frames are sent
  // pause: reads nothing more from it until its request is done; on the loop. resume: thread-safe.
  virtual void pause(ConnectionId id) = 0;
  virtual void resume(ConnectionId id) = 0;
  virtual bool is_open(ConnectionId id) const = 0;  // thread-safe
  // Whether the user reads the answers sent so far, so that there is room for more. Thread-safe.
  virtual bool may_answer(Uid user) const = 0;
  virtual void set_max_user_connections(std::size_t most) = 0;  // thread-safe; 0 = the default
  virtual void finish(ConnectionId id) = 0;  // close() for a peer that sends no more
  // Takes the socket out of the server; on_close is not called. fd < 0 if it is gone. Only from
  // within on_frame of that connection.
  virtual std::pair<int, SessionState> release(ConnectionId id) = 0;
  virtual void stop_listening() = 0;
  virtual std::uint16_t port() const = 0;       // the TCP port in use, 0 = none
  virtual std::size_t connections() const = 0;  // including those still in the handshake
};

class Dialer {
 public:
  struct Handlers {
    std::function<void()> on_connected;
    std::function<void(std::string frame)> on_frame;
    std::function<void(const Error& why)>
        on_lost;  // could not connect, or the connection broke; it tries again
  };
  static std::unique_ptr<Dialer> start(Loop& loop, std::vector<Endpoint> endpoints,
                                       Handlers handlers, Millis retry_min = Millis{100},
                                       Millis retry_max = Millis{5000});
  virtual ~Dialer() = default;
  virtual void send(std::string frame) = 0;  // dropped while not connected
  virtual void close() = 0;
};

}  // namespace muster::io
