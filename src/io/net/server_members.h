// The connections of a Server: who they are, how far their handshake is, and which of them may
// stay. Thread-safe.
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

struct Account;  // of its user, see server_shares.h

struct Member {
  ConnectionId id = 0;
  bool is_tcp = false;
  ServerHello hello;  // what we sent; its nonce must come back
  Peer peer;          // on TCP uid and gid are known once it is open
  std::chrono::steady_clock::time_point accepted_at;
  std::atomic<Stage> stage{Stage::greeting};
  std::shared_ptr<Connection> connection;
  // The loop's:
  std::shared_ptr<Account> account;  // shared by all of the user's; none = not open
  std::size_t coming_bytes = 0;      // of a large message that is not whole yet
};
using MemberPtr = std::shared_ptr<Member>;  // shared by the table and the work under way for it

class Members {
 public:
  void add(MemberPtr member);
  void mark_open(const Member& member);
  MemberPtr find(ConnectionId id) const;
  bool remove(ConnectionId id);  // false = it was not there
  MemberPtr oldest_half_open() const;
  std::vector<MemberPtr> all() const;
  std::size_t size() const;

 private:
  mutable std::mutex mutex_;  // guards what follows
  std::map<ConnectionId, MemberPtr> members_;
  std::set<ConnectionId> half_open_;  // ids grow, so the first is the oldest
};

}  // namespace muster::io
