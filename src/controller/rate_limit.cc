// Fills and empties the token buckets of users.
#include "controller/rate_limit.h"

#include <algorithm>

namespace muster::controller {

void RateLimit::refill(Bucket& bucket, Time now) const {
  // If the clock was set back, the period starts anew.
  if (now < bucket.filled) bucket.filled = now;
  const std::int64_t periods = (now - bucket.filled) / Millis(settings_.refill_period);
  const auto room = static_cast<std::int64_t>(settings_.bucket_size - bucket.tokens);
  if (periods > room) {  // at least one token per period
    bucket.tokens = settings_.bucket_size;
    bucket.filled = now;
    return;
  }
  const std::uint64_t tokens =
      bucket.tokens + static_cast<std::uint64_t>(periods) * settings_.refill_rate;
  bucket.tokens =
      static_cast<std::uint32_t>(std::min<std::uint64_t>(tokens, settings_.bucket_size));
  bucket.filled += periods * Millis(settings_.refill_period);
}

std::optional<Millis> RateLimit::take(Uid user, Time now) {
  if (!settings_.enabled) return std::nullopt;
  auto found = buckets_.find(user);
  if (found == buckets_.end()) {
    if (buckets_.size() >= settings_.table_size) forget_full(now);
    // the table is full: this user is not counted
    if (buckets_.size() >= settings_.table_size) return std::nullopt;
    found = buckets_.emplace(user, Bucket{settings_.bucket_size, now, {}}).first;
  }
  Bucket& bucket = found->second;
  bucket.tokens = std::min(bucket.tokens, settings_.bucket_size);
  refill(bucket, now);
  if (bucket.tokens > 0) {
    --bucket.tokens;
    return std::nullopt;
  }
  return bucket.filled + Millis(settings_.refill_period) - now;
}

bool RateLimit::is_to_be_logged(Uid user, Time now) {
  const auto found = buckets_.find(user);
  if (found == buckets_.end()) return false;
  std::optional<Time>& logged = found->second.logged;
  if (logged && now >= *logged && now - *logged < Millis(settings_.log_every)) return false;
  logged = now;
  return true;
}

// A user with a full bucket needs no entry.
void RateLimit::forget_full(Time now) {
  std::erase_if(buckets_, [&](const auto& entry) {
    Bucket bucket = entry.second;
    refill(bucket, now);
    return bucket.tokens >= settings_.bucket_size;
  });
}

}  // namespace muster::controller
