// Shares: bounds what each user takes of a Server, so that all users get their share: connections,
// memory for incoming messages, memory for answers that are not read, and time on the loop.
// Operators (root, SlurmUser, and with them the nodes) have places of their own and none of the
// other limits.
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
#include "io/net/server_members.h"

namespace muster::io {

// What one user takes. Used on the loop only, except for `queued`.
struct Account {
  Uid uid;
  bool is_operator = false;
  std::size_t connections = 0;
  std::size_t coming_bytes = 0;         // of large messages that have only partly arrived
  std::shared_ptr<QueuedBytes> queued;  // shared with the connections, which update it
  std::uint64_t round = 0;              // the round of the loop in which ...
  std::chrono::nanoseconds used{0};     // ... this time was spent for the user
  std::deque<MemberPtr> late;           // connections that wait for the user's next turn
};

class Shares : public std::enable_shared_from_this<Shares> {
 public:
  Shares(Loop& loop, const ServerOptions& options);

  // --- on the loop ---
  // Takes a place for the connection until leave(). False if there is none.
  bool enter(const MemberPtr& member);
  void leave(const MemberPtr& member);
  // See Connection::Handlers::may_take.
  bool may_take(const MemberPtr& member, std::size_t bytes, bool is_whole);
  void on_taken(const MemberPtr& member, std::chrono::nanoseconds spent);

  // --- on any thread ---
  // Whether the user reads the answers sent so far, so that another one can be made.
  bool may_answer(Uid user) const;
  void set_max_user_connections(std::size_t most) { max_user_connections_ = most; }
  std::size_t max_user_connections() const;

 private:
  std::shared_ptr<Account> account_of(Uid user);
  void drop_if_empty(const Account& account);
  bool has_room(const Account& account, const Member& member, std::size_t bytes) const;
  bool reads_answers(const Account& account) const;
  bool has_turn(Account& account) const;
  void wait_for_room(const MemberPtr& member);
  void wait_for_turn(const MemberPtr& member);
  void give_room();
  void give_turns();

  Loop& loop_;
  const ServerOptions options_;
  std::atomic<std::size_t> max_user_connections_;
  std::size_t connections_ = 0;   // of all users
  std::size_t coming_bytes_ = 0;  // likewise
  std::shared_ptr<std::atomic<std::size_t>> queued_bytes_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::deque<MemberPtr> without_room_;
  std::vector<std::shared_ptr<Account>> late_;  // accounts with late connections
  bool gives_turns_ = false, gives_room_ = false;
  bool is_giving_turns_ = false;

  mutable std::mutex mutex_;                          // guards the member below
  std::map<Uid, std::shared_ptr<Account>> accounts_;  // shared with members
};

}  // namespace muster::io
