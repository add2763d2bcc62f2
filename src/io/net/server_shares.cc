// Counts what users take, and pauses and resumes their connections.
#include "io/net/server_shares.h"

#include <algorithm>
#include <utility>

namespace muster::io {

namespace {

// Messages up to this size are not counted; the number of connections bounds them.
constexpr std::size_t kSmallFrame = 64u << 10;
// A user's time per round; beyond it other users come first.
constexpr std::chrono::milliseconds kTurn{4};
constexpr Millis kLookForRoom{10};

}  // namespace

Shares::Shares(Loop& loop, const ServerOptions& options)
    : loop_(loop), options_(options), max_user_connections_(options.max_user_connections) {}

// The default is a quarter of the places, so that one user can never shut out the others.
std::size_t Shares::max_user_connections() const {
  const std::size_t places = options_.max_connections - options_.max_connections / 8;
  const std::size_t quarter = std::max<std::size_t>(1, places / 4);
  const std::size_t said = max_user_connections_;
  return said == 0 ? quarter : std::min(said, places);
}

std::shared_ptr<Account> Shares::account_of(Uid user) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<Account>& account = accounts_[user];
  if (!account) {
    account = std::make_shared<Account>();
    account->uid = user;
    account->is_operator = options_.is_operator && options_.is_operator(user);
    account->queued = std::make_shared<QueuedBytes>();
    account->queued->all = queued_bytes_;
  }
  return account;
}

bool Shares::enter(const MemberPtr& member) {
  const std::shared_ptr<Account> account = account_of(member->peer.uid);
  const std::size_t reserved = options_.max_connections / 8;
  const bool has_place =
      account->is_operator ||
      (account->connections < max_user_connections() &&
       connections_ < std::max<std::size_t>(1, options_.max_connections - reserved));
  if (!has_place) return drop_if_empty(*account), false;
  ++account->connections;
  if (!account->is_operator) {
    ++connections_;
    member->connection->pause_when_unread();
  }
  member->connection->count_queued(account->queued);
  member->account = account;
  return true;
}

void Shares::leave(const MemberPtr& member) {
  const std::shared_ptr<Account> account = std::exchange(member->account, nullptr);
  if (!account) return;
  coming_bytes_ -= member->coming_bytes;
  account->coming_bytes -= std::exchange(member->coming_bytes, 0);
  if (!account->is_operator) --connections_;
  --account->connections;
  drop_if_empty(*account);
}

void Shares::drop_if_empty(const Account& account) {
  if (account.connections > 0) return;
  const std::lock_guard lock(mutex_);
  accounts_.erase(account.uid);
}

bool Shares::may_take(const MemberPtr& member, std::size_t bytes, bool is_whole) {
  const std::shared_ptr<Account> account = member->account;
  if (!account || account->is_operator) return true;
  if (!has_room(*account, *member, bytes)) return wait_for_room(member), false;
  if (bytes > kSmallFrame && member->coming_bytes == 0) {
    member->coming_bytes = bytes;
    account->coming_bytes += bytes;
    coming_bytes_ += bytes;
  }
  if (!is_whole || has_turn(*account)) return true;
  wait_for_turn(member);
  return false;
}

void Shares::on_taken(const MemberPtr& member, std::chrono::nanoseconds spent) {
  Account* account = member->account.get();
  if (!account) return;  // it has left meanwhile
  account->used += spent;
  coming_bytes_ -= member->coming_bytes;
  account->coming_bytes -= std::exchange(member->coming_bytes, 0);
}

bool Shares::has_room(const Account& account, const Member& member, std::size_t bytes) const {
  if (!reads_answers(account)) return false;
  if (bytes <= kSmallFrame || member.coming_bytes > 0) return true;
  // A single message is let in whatever its size, since the size has been checked.
  const bool is_only_one = account.coming_bytes == 0;
  return (is_only_one || account.coming_bytes + bytes <= options_.max_user_coming_bytes) &&
         (coming_bytes_ == 0 || coming_bytes_ + bytes <= options_.max_coming_bytes);
}

bool Shares::reads_answers(const Account& account) const {
  return account.queued->own <= options_.max_user_queued_bytes &&
         *queued_bytes_ <= options_.max_all_queued_bytes;
}

bool Shares::may_answer(Uid user) const {
  const std::lock_guard lock(mutex_);
  const auto found = accounts_.find(user);
  return found == accounts_.end() || found->second->is_operator || reads_answers(*found->second);
}

bool Shares::has_turn(Account& account) const {
  if (account.round != loop_.round()) {
    account.round = loop_.round();
    account.used = std::chrono::nanoseconds{0};
  }
  return account.used < kTurn && (account.late.empty() || is_giving_turns_);
}

void Shares::wait_for_room(const MemberPtr& member) {
  member->connection->pause(Pause::room);
  without_room_.push_back(member);
  if (std::exchange(gives_room_, true)) return;
  loop_.after(kLookForRoom, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_room();
  });
}

void Shares::give_room() {
  gives_room_ = false;
  for (const MemberPtr& member : std::exchange(without_room_, {}))
    member->connection->resume(Pause::room);
}

void Shares::wait_for_turn(const MemberPtr& member) {
  Account& account = *member->account;
  member->connection->pause(Pause::turn);
  if (account.late.empty()) late_.push_back(member->account);
  account.late.push_back(member);
  if (std::exchange(gives_turns_, true)) return;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_turns();
  });
}

// Resumes late connections. If called in the round in which the time was used up, it only schedules
// itself for the next round.
void Shares::give_turns() {
  gives_turns_ = false;
  is_giving_turns_ = true;
  for (const std::shared_ptr<Account>& account : std::exchange(late_, {})) {
    std::deque<MemberPtr> waiting = std::exchange(account->late, {});
    while (!waiting.empty() && has_turn(*account)) {
      const MemberPtr next = std::move(waiting.front());
      waiting.pop_front();
      next->connection->resume(Pause::turn);
    }
    // Connections that are late again queue behind those that still wait.
    const bool is_listed = !account->late.empty();
    account->late.insert(account->late.begin(), std::make_move_iterator(waiting.begin()),
                         std::make_move_iterator(waiting.end()));
    if (!is_listed && !account->late.empty()) late_.push_back(account);
  }
  is_giving_turns_ = false;
  if (late_.empty() || std::exchange(gives_turns_, true)) return;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_turns();
  });
}

}  // namespace muster::io
