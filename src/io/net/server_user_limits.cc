// Counts what users take, and pauses and resumes their connections.
#include "io/net/server_user_limits.h"

#include <algorithm>
#include <utility>

namespace muster::io {

namespace {

// Messages up to this size are not counted; the number of connections bounds them.
constexpr std::size_t kSmallFrame = 64u << 10;
// A user's time per round; beyond it other users come first.
constexpr std::chrono::milliseconds kTurn{4};
constexpr Millis kRoomCheckEvery{10};

}  // namespace

UserLimits::UserLimits(Loop& loop, const ServerOptions& options)
    : loop_(loop), options_(options), max_user_connections_(options.max_user_connections) {}

// The default is a quarter of the places, so that one user can never shut out the others.
std::size_t UserLimits::max_user_connections() const {
  const std::size_t places = options_.max_connections - options_.max_connections / 8;
  const std::size_t quarter = std::max<std::size_t>(1, places / 4);
  const std::size_t said = max_user_connections_;
  return said == 0 ? quarter : std::min(said, places);
}

std::shared_ptr<UserUsage> UserLimits::usage_of(Uid user) {
  const std::lock_guard lock(mutex_);
  std::shared_ptr<UserUsage>& usage = usage_by_user_[user];
  if (!usage) {
    usage = std::make_shared<UserUsage>();
    usage->uid = user;
    usage->is_operator = options_.is_operator && options_.is_operator(user);
    usage->queued = std::make_shared<QueuedBytes>();
    usage->queued->all = queued_bytes_;
  }
  return usage;
}

bool UserLimits::enter(const ClientPtr& client) {
  const std::shared_ptr<UserUsage> usage = usage_of(client->peer.uid);
  const std::size_t reserved = options_.max_connections / 8;
  const bool has_place =
      usage->is_operator ||
      (usage->connections < max_user_connections() &&
       connections_ < std::max<std::size_t>(1, options_.max_connections - reserved));
  if (!has_place) return drop_if_empty(*usage), false;
  ++usage->connections;
  if (!usage->is_operator) {
    ++connections_;
    client->connection->pause_when_unread();
  }
  client->connection->count_queued(usage->queued);
  client->usage = usage;
  return true;
}

void UserLimits::leave(const ClientPtr& client) {
  const std::shared_ptr<UserUsage> usage = std::exchange(client->usage, nullptr);
  if (!usage) return;
  incoming_bytes_ -= client->incoming_bytes;
  usage->incoming_bytes -= std::exchange(client->incoming_bytes, 0);
  if (!usage->is_operator) --connections_;
  --usage->connections;
  drop_if_empty(*usage);
}

void UserLimits::drop_if_empty(const UserUsage& usage) {
  if (usage.connections > 0) return;
  const std::lock_guard lock(mutex_);
  usage_by_user_.erase(usage.uid);
}

bool UserLimits::may_take(const ClientPtr& client, std::size_t bytes, bool is_whole) {
  const std::shared_ptr<UserUsage> usage = client->usage;
  if (!usage || usage->is_operator) return true;
  if (!has_room(*usage, *client, bytes)) return wait_for_room(client), false;
  if (bytes > kSmallFrame && client->incoming_bytes == 0) {
    client->incoming_bytes = bytes;
    usage->incoming_bytes += bytes;
    incoming_bytes_ += bytes;
  }
  if (!is_whole || has_turn(*usage)) return true;
  wait_for_turn(client);
  return false;
}

void UserLimits::on_taken(const ClientPtr& client, std::chrono::nanoseconds spent) {
  UserUsage* usage = client->usage.get();
  if (!usage) return;  // it has left meanwhile
  usage->loop_time += spent;
  incoming_bytes_ -= client->incoming_bytes;
  usage->incoming_bytes -= std::exchange(client->incoming_bytes, 0);
}

bool UserLimits::has_room(const UserUsage& usage, const Client& client, std::size_t bytes) const {
  if (!reads_answers(usage)) return false;
  if (bytes <= kSmallFrame || client.incoming_bytes > 0) return true;
  // A single message is let in whatever its size, since the size has been checked.
  const bool is_only_one = usage.incoming_bytes == 0;
  return (is_only_one || usage.incoming_bytes + bytes <= options_.max_user_incoming_bytes) &&
         (incoming_bytes_ == 0 || incoming_bytes_ + bytes <= options_.max_incoming_bytes);
}

bool UserLimits::reads_answers(const UserUsage& usage) const {
  return usage.queued->own <= options_.max_user_queued_bytes &&
         *queued_bytes_ <= options_.max_all_queued_bytes;
}

bool UserLimits::may_answer(Uid user) const {
  const std::lock_guard lock(mutex_);
  const auto found = usage_by_user_.find(user);
  return found == usage_by_user_.end() || found->second->is_operator ||
         reads_answers(*found->second);
}

bool UserLimits::has_turn(UserUsage& usage) const {
  if (usage.round != loop_.round()) {
    usage.round = loop_.round();
    usage.loop_time = std::chrono::nanoseconds{0};
  }
  return usage.loop_time < kTurn && (usage.waiting_for_turn.empty() || is_giving_turns_);
}

void UserLimits::wait_for_room(const ClientPtr& client) {
  client->connection->pause(Pause::room);
  waiting_for_room_.push_back(client);
  if (std::exchange(room_check_scheduled_, true)) return;
  loop_.after(kRoomCheckEvery, [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->check_for_room();
  });
}

void UserLimits::check_for_room() {
  room_check_scheduled_ = false;
  for (const ClientPtr& client : std::exchange(waiting_for_room_, {}))
    client->connection->resume(Pause::room);
}

void UserLimits::wait_for_turn(const ClientPtr& client) {
  UserUsage& usage = *client->usage;
  client->connection->pause(Pause::turn);
  if (usage.waiting_for_turn.empty()) users_waiting_for_turn_.push_back(client->usage);
  usage.waiting_for_turn.push_back(client);
  if (std::exchange(turns_scheduled_, true)) return;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_turns();
  });
}

// Resumes connections that wait for their turn. If called in the round in which the time was used
// up, it only schedules itself for the next round.
void UserLimits::give_turns() {
  turns_scheduled_ = false;
  is_giving_turns_ = true;
  for (const std::shared_ptr<UserUsage>& usage : std::exchange(users_waiting_for_turn_, {})) {
    std::deque<ClientPtr> waiting = std::exchange(usage->waiting_for_turn, {});
    while (!waiting.empty() && has_turn(*usage)) {
      const ClientPtr next = std::move(waiting.front());
      waiting.pop_front();
      next->connection->resume(Pause::turn);
    }
    // Connections that used up their time again queue behind those that still wait.
    const bool is_listed = !usage->waiting_for_turn.empty();
    usage->waiting_for_turn.insert(usage->waiting_for_turn.begin(),
                                   std::make_move_iterator(waiting.begin()),
                                   std::make_move_iterator(waiting.end()));
    if (!is_listed && !usage->waiting_for_turn.empty()) users_waiting_for_turn_.push_back(usage);
  }
  is_giving_turns_ = false;
  if (users_waiting_for_turn_.empty() || std::exchange(turns_scheduled_, true)) return;
  loop_.post([weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->give_turns();
  });
}

}  // namespace muster::io
