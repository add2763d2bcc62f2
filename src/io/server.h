// Server: listens on TCP and Unix sockets, authenticates every peer, and hands whole frames to its
// owner on io threads. A peer that sends rubbish, stalls or floods costs its own connection only.
// Dialer: the client end of a long-lived connection (slurmd to slurmctld) that connects again by
// itself. Both live on a Loop, the io threads of a daemon, and must be destroyed before it; their
// destructors return when no handler runs any more, so they must not be called from within a
// handler. Handlers may run before listen() or start() has returned.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/ids.h"
#include "base/result.h"
#include "base/time.h"
#include "io/channel.h"

namespace muster::io {

using ConnectionId = std::uint64_t;

struct Peer {
  Uid uid;
  Gid gid;
  std::string address;  // "127.0.0.1:41234" or "unix"
};

// The io threads. post() runs a function on one of them, after() later. Thread-safe.
// Signals are blocked on these threads: whoever spawns a program from one resets its mask.
class Loop {
 public:
  explicit Loop(int threads);
  // One thread, which calls on_drained each time it has done what was ready. What its connections
  // are given to send on that thread leaves afterwards, so that much in a short time is one write.
  explicit Loop(std::function<void()> on_drained);
  ~Loop();  // stops and joins
  void post(std::function<void()> work);
  void after(std::chrono::microseconds delay, std::function<void()> work);
  // For calls that block (munge, name service): runs on a small pool, never on an io thread.
  void run_blocking(std::function<void()> work);
  void stop_blocking();  // finishes what runs on the pool, drops what waits
  void stop();

  struct Impl;
  Impl& impl() { return *impl_; }

 private:
  std::unique_ptr<Impl> impl_;
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
  std::size_t max_connections = 20000;
  Millis handshake_timeout{10000};
  Millis idle_timeout{0};  // 0 = none
  Millis stall_timeout{
      60000};  // a frame begun must be whole, and queued bytes must move, within this
  std::size_t max_queued_bytes = 256u << 20;  // per connection, then it is closed
  std::string munge_socket;                   // empty = munge's own default
};

class Server {
 public:
  struct Handlers {  // called on io threads, for one connection never concurrently
    std::function<void(ConnectionId, const Peer&)> on_open;
    std::function<void(ConnectionId, std::string frame)> on_frame;
    std::function<void(ConnectionId)> on_close;
  };
  static Result<std::unique_ptr<Server>> listen(Loop& loop, ServerOptions options,
                                                Handlers handlers);
  virtual ~Server() = default;

  virtual void send(ConnectionId to, std::string frame) = 0;  // thread-safe; unknown id = dropped
  virtual void close(ConnectionId id) = 0;                    // after what is queued was sent
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
