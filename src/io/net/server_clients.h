// Clients: the connections of a Server, with their peers and the state of their handshakes.
// Thread-safe.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "io/net/handshake.h"
#include "io/net/loop_connection.h"
#include "io/net/server.h"

namespace muster::io {

enum class Stage : std::uint8_t { greeting, checking, open, turned_away };

struct UserUsage;  // what its user takes of the server, see server_user_limits.h

struct Client {
  ConnectionId id = 0;
  bool is_tcp = false;
  ServerHello hello;  // what we sent; its nonce must come back
  Peer peer;          // over TCP uid and gid are known once it is open
  std::chrono::steady_clock::time_point accepted_at;
  std::atomic<Stage> stage{Stage::greeting};
  std::shared_ptr<Connection> connection;
  // Used on the loop only:
  std::shared_ptr<UserUsage> usage;  // shared by all connections of the user; null = not open
  std::size_t incoming_bytes = 0;    // of a large message that has only partly arrived
};
using ClientPtr = std::shared_ptr<Client>;  // shared by the table and by pending work

class Clients {
 public:
  void add(ClientPtr client);
  void mark_open(const Client& client);
  ClientPtr find(ConnectionId id) const;
  bool remove(ConnectionId id);  // false if there was none
  ClientPtr oldest_half_open() const;
  std::vector<ClientPtr> all() const;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;  // guards the members below
  std::map<ConnectionId, ClientPtr> clients_;
  std::set<ConnectionId> half_open_;  // ids grow, so the first is the oldest
};

}  // namespace muster::io
