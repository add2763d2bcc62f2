// Looks up connections by id, and finds the oldest one without a finished handshake.
#include "io/net/server_clients.h"

namespace muster::io {

void Clients::add(ClientPtr client) {
  const std::lock_guard lock(mutex_);
  half_open_.insert(client->id);
  clients_.emplace(client->id, std::move(client));
}

void Clients::mark_open(const Client& client) {
  const std::lock_guard lock(mutex_);
  half_open_.erase(client.id);
}

ClientPtr Clients::find(ConnectionId id) const {
  const std::lock_guard lock(mutex_);
  const auto found = clients_.find(id);
  return found == clients_.end() ? nullptr : found->second;
}

bool Clients::remove(ConnectionId id) {
  const std::lock_guard lock(mutex_);
  half_open_.erase(id);
  return clients_.erase(id) > 0;
}

ClientPtr Clients::oldest_half_open() const {
  const std::lock_guard lock(mutex_);
  return half_open_.empty() ? nullptr : clients_.at(*half_open_.begin());
}

std::vector<ClientPtr> Clients::all() const {
  const std::lock_guard lock(mutex_);
  std::vector<ClientPtr> members;
  members.reserve(clients_.size());
  for (const auto& [id, client] : clients_) members.push_back(client);
  return members;
}

std::size_t Clients::size() const {
  const std::lock_guard lock(mutex_);
  return clients_.size();
}

}  // namespace muster::io
