// BlobCache: recently used scripts and environments by their hashes, up to a bound of memory.
// Thread-safe.
#pragma once

#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/containers/text.h"
#include "io/files.h"

namespace muster::io {

class BlobCache {
 public:
  explicit BlobCache(std::size_t max_bytes) : max_bytes_(max_bytes) {}

  std::optional<std::string> find(std::string_view hash) {
    std::lock_guard lock(mutex_);
    auto found = by_hash_.find(hash);
    if (found == by_hash_.end()) return std::nullopt;
    blobs_.splice(blobs_.begin(), blobs_, found->second);
    return found->second->second;
  }

  // Adds the bytes and returns their hash. Users submit with the same environment again and again,
  // and comparing bytes is faster than hashing them.
  Text put(std::string_view bytes) {
    {
      std::lock_guard lock(mutex_);
      auto known = by_bytes_.find(bytes);
      if (known != by_bytes_.end()) return known->second->first;
    }
    Text hash = content_hash(bytes);
    put(hash, bytes);
    return hash;
  }

  void put(std::string_view hash, std::string_view bytes) {
    std::lock_guard lock(mutex_);
    if (by_hash_.contains(hash) || memory_of(bytes) > max_bytes_) return;
    blobs_.emplace_front(hash, bytes);
    by_hash_.emplace(blobs_.front().first, blobs_.begin());
    by_bytes_.emplace(blobs_.front().second, blobs_.begin());
    bytes_ += memory_of(bytes);
    while (bytes_ > max_bytes_) {
      bytes_ -= memory_of(blobs_.back().second);
      by_hash_.erase(blobs_.back().first);
      by_bytes_.erase(blobs_.back().second);
      blobs_.pop_back();
    }
  }

 private:
  using Blobs = std::list<std::pair<Text, std::string>>;  // most recent first

  // Including the hash, and the nodes of the list and the two maps.
  static std::size_t memory_of(std::string_view bytes) { return bytes.size() + 300; }

  const std::size_t max_bytes_;
  std::mutex mutex_;  // guards the members below
  Blobs blobs_;
  std::unordered_map<std::string_view, Blobs::iterator> by_hash_,
      by_bytes_;  // the keys point into blobs_
  std::size_t bytes_ = 0;
};

}  // namespace muster::io
