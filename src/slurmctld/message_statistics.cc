// See message_statistics.h.
#include "slurmctld/message_statistics.h"

namespace muster::daemon {

MessageStatistics::Row& MessageStatistics::row_of(Uid user) {
  if (const auto found = users_.find(user); found != users_.end()) return found->second;
  return users_.size() < kUsersAtMost ? users_[user] : others_;
}

void MessageStatistics::count(MessageType type, Uid user) {
  const std::lock_guard lock(mutex_);
  Row& row = types_[type.id];
  row.name = type.name;
  ++row.count;
  ++row_of(user).count;
}

// What was counted before a reset leaves no time behind it.
void MessageStatistics::add_time(MessageType type, Uid user, std::chrono::nanoseconds took) {
  const std::lock_guard lock(mutex_);
  if (const auto row = types_.find(type.id); row != types_.end()) row->second.time += took;
  if (const auto row = users_.find(user); row != users_.end())
    row->second.time += took;
  else if (others_.count > 0)
    others_.time += took;
}

void MessageStatistics::reset() {
  const std::lock_guard lock(mutex_);
  types_.clear();
  users_.clear();
  others_ = {};
}

wire::MessageCount MessageStatistics::shown(std::uint32_t id, const Row& row) {
  const auto time = std::chrono::duration_cast<std::chrono::microseconds>(row.time);
  return {id, Text(row.name), row.count, static_cast<std::uint64_t>(time.count())};
}

void MessageStatistics::fill(wire::StatisticsReply& reply) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [id, row] : types_) reply.by_type.push_back(shown(id, row));
  for (const auto& [user, row] : users_) reply.by_user.push_back(shown(user.value, row));
  reply.other_users = shown(0, others_);
}

}  // namespace muster::daemon
