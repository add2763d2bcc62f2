// Looks up connections by id, and finds the oldest one without a finished handshake.
#include "io/net/server_members.h"

namespace muster::io {

void Members::add(MemberPtr member) {
  const std::lock_guard lock(mutex_);
  half_open_.insert(member->id);
  members_.emplace(member->id, std::move(member));
}

void Members::mark_open(const Member& member) {
  const std::lock_guard lock(mutex_);
  half_open_.erase(member.id);
}

MemberPtr Members::find(ConnectionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = members_.find(id);
  return found == members_.end() ? nullptr : found->second;
}

bool Members::remove(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  half_open_.erase(id);
  return members_.erase(id) > 0;
}

MemberPtr Members::oldest_half_open() const {
  const std::lock_guard lock(mutex_);
  return half_open_.empty() ? nullptr : members_.at(*half_open_.begin());
}

std::vector<MemberPtr> Members::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<MemberPtr> members;
  members.reserve(members_.size());
  for (const auto& [id, member] : members_) members.push_back(member);
  return members;
}

std::size_t Members::size() const {
  const std::lock_guard lock(mutex_);
  return members_.size();
}

}  // namespace muster::io
