// UserLimits: bounds what the connections of each user take of a Server, so that other users get a
// share: connections, memory for incoming messages, memory for answers that are not read, and time
// on the loop. Operators (root, SlurmUser, and with them the nodes) have places of their own and
// none of the other limits.
//
// A user above a limit of memory or time is not cut off. Nothing is read from that user's
// connections until there is room, or until the user's next turn. Connections of one user go on in
// the order in which they came.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "io/loop/loop.h"
#include "io/net/server_clients.h"

namespace muster::io {

// What one user takes. Used on the loop only, except for `queued`.
struct UserUsage {
  Uid uid;
  bool is_operator = false;
  std::size_t connections = 0;
  std::size_t incoming_bytes = 0;          // of large messages that have only partly arrived
  std::shared_ptr<QueuedBytes> queued;     // shared with the connections, which update it
  std::uint64_t round = 0;                 // the round of the loop in which ...
  std::chrono::nanoseconds loop_time{0};   // ... this time was spent for the user
  std::deque<ClientPtr> waiting_for_turn;  // connections that wait for the user's next turn
};

class UserLimits : public std::enable_shared_from_this<UserLimits> {
 public:
  UserLimits(Loop& loop, const ServerOptions& options);

  // --- on the loop ---
  // Takes a place for the connection until leave(). False if there is none.
  bool enter(const ClientPtr& client);
  void leave(const ClientPtr& client);
  // See Connection::Handlers::may_take.
  bool may_take(const ClientPtr& client, std::size_t bytes, bool is_whole);
  void on_taken(const ClientPtr& client, std::chrono::nanoseconds spent);

  // --- on any thread ---
  // Whether the user reads the answers sent so far, so that another one can be made.
  bool may_answer(Uid user) const;
  void set_max_user_connections(std::size_t most) { max_user_connections_ = most; }
  std::size_t max_user_connections() const;

 private:
  std::shared_ptr<UserUsage> usage_of(Uid user);
  void drop_if_empty(const UserUsage& usage);
  bool has_room(const UserUsage& usage, const Client& client, std::size_t bytes) const;
  bool reads_answers(const UserUsage& usage) const;
  bool has_turn(UserUsage& usage) const;
  void wait_for_room(const ClientPtr& client);
  void wait_for_turn(const ClientPtr& client);
  void check_for_room();
  void give_turns();

  Loop& loop_;
  const ServerOptions options_;
  std::atomic<std::size_t> max_user_connections_;
  std::size_t connections_ = 0;     // of all users
  std::size_t incoming_bytes_ = 0;  // likewise
  std::shared_ptr<std::atomic<std::size_t>> queued_bytes_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::deque<ClientPtr> waiting_for_room_;
  std::vector<std::shared_ptr<UserUsage>> users_waiting_for_turn_;
  bool turns_scheduled_ = false, room_check_scheduled_ = false;
  bool is_giving_turns_ = false;

  mutable std::mutex mutex_;                                 // guards the member below
  std::map<Uid, std::shared_ptr<UserUsage>> usage_by_user_;  // shared with clients
};

}  // namespace muster::io
