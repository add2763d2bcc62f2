// See controllers.h.
#include "slurmdbd/controllers.h"

#include <algorithm>

#include "base/codec/codec.h"
#include "base/codec/rough_size.h"
#include "wire/parts.h"

namespace muster::dbd {

namespace {

// Associations and keys of other clusters do not matter to a controller.
bool concerns(const SiteRow& row, const Text& cluster) {
  if (const auto* association = std::get_if<AssociationRow>(&row))
    return association->cluster == cluster;
  if (const auto* key = std::get_if<WckeyRow>(&row)) return key->cluster == cluster;
  return true;
}

}  // namespace

void Controllers::enter(io::ConnectionId id, Feed feed) {
  std::vector<io::ConnectionId> old;
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [other, known] : feeds_)
      if (other != id && known.cluster == feed.cluster) old.push_back(other);
    feeds_.insert_or_assign(id, std::move(feed));
  }
  for (io::ConnectionId other : old) {
    leave(other);
    server_->close(other);
  }
}

void Controllers::leave(io::ConnectionId id) {
  const std::lock_guard lock(mutex_);
  feeds_.erase(id);
  for (auto& [number, waiting] : flushes_)
    if (auto gone = waiting.clusters.extract(id)) waiting.missed.insert(gone.mapped());
  answered_.notify_all();
}

std::optional<Feed> Controllers::feed_of(io::ConnectionId id) const {
  const std::lock_guard lock(mutex_);
  const auto known = feeds_.find(id);
  return known == feeds_.end() ? std::nullopt : std::optional<Feed>(known->second);
}

bool Controllers::has(const Text& cluster) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(feeds_, [&](const auto& e) { return e.second.cluster == cluster; });
}

bool Controllers::has_another(io::ConnectionId than, const Feed& feed) const {
  const std::lock_guard lock(mutex_);
  return std::ranges::any_of(feeds_, [&](const auto& e) {
    return e.first != than && e.second.cluster == feed.cluster && e.second.stream != feed.stream;
  });
}

bool Controllers::is_empty() const {
  const std::lock_guard lock(mutex_);
  return feeds_.empty();
}

void Controllers::send(io::ConnectionId id, wire::DatabaseOrder order) {
  server_->send(id, encode(wire::DatabaseFrame{std::move(order)}));
}

void Controllers::tell(const AccountsNews& news) {
  if (news.empty()) return;
  std::map<io::ConnectionId, Feed> feeds;
  {
    const std::lock_guard lock(mutex_);
    feeds = feeds_;
  }
  for (const auto& [id, feed] : feeds) tell(id, feed.cluster, news);
}

void Controllers::tell(io::ConnectionId id, const Text& cluster, const AccountsNews& news) {
  wire::NewsPart part{.version = news.version, .is_all = news.is_all, .more = true};
  std::size_t bytes = 0;
  for (const SiteRow& row : news.rows) {
    if (!concerns(row, cluster)) continue;
    bytes += rough_size(row);
    part.rows.push_back(row);
    if (bytes < wire::kPartBytes) continue;
    send(id, part);
    part.rows.clear();
    bytes = 0;
  }
  part.resets = news.resets;
  part.more = false;
  send(id, std::move(part));
}

std::vector<Text> Controllers::flush(const std::vector<Text>& clusters, Millis patience) {
  std::unique_lock lock(mutex_);
  const std::uint64_t number = next_flush_++;
  Waiting& waiting = flushes_[number];
  waiting.missed.insert(clusters.begin(), clusters.end());
  std::vector<io::ConnectionId> asked;
  for (const auto& [id, feed] : feeds_)
    if (waiting.missed.erase(feed.cluster) > 0) {
      waiting.clusters.emplace(id, feed.cluster);
      asked.push_back(id);
    }
  lock.unlock();
  for (io::ConnectionId id : asked) send(id, wire::FlushRecords{number});
  lock.lock();
  answered_.wait_for(lock, patience, [&] { return waiting.clusters.empty() || is_stopped_; });
  for (const auto& [id, cluster] : waiting.clusters) waiting.missed.insert(cluster);
  std::vector<Text> missed(waiting.missed.begin(), waiting.missed.end());
  flushes_.erase(number);
  return missed;
}

void Controllers::on_flushed(io::ConnectionId id, std::uint64_t flush) {
  const std::lock_guard lock(mutex_);
  if (auto waiting = flushes_.find(flush); waiting != flushes_.end())
    waiting->second.clusters.erase(id);
  answered_.notify_all();
}

void Controllers::stop() {
  const std::lock_guard lock(mutex_);
  is_stopped_ = true;
  answered_.notify_all();
}

}  // namespace muster::dbd
