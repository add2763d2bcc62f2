// RateLimit: a token bucket for each user's requests (the rl_ words of SlurmctldParameters). A
// request takes one token; each period adds some, up to the size of the bucket.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "base/ids.h"
#include "base/time.h"

namespace muster::controller {

struct RateLimitSettings {
  bool enabled = false;            // rl_enable
  std::uint32_t bucket_size = 30;  // rl_bucket_size
  std::uint32_t refill_rate = 2;   // rl_refill_rate: tokens added ...
  Seconds refill_period{1};        // rl_refill_period: ... in each period
  std::size_t table_size = 8192;   // rl_table_size: how many users are counted at a time
  Seconds log_every{0};  // rl_log_freq: how often a user is named in the log; 0 = each time
};

class RateLimit {
 public:
  void set(RateLimitSettings settings) { settings_ = settings; }

  // Takes a token of the user. If there is none: how long to wait.
  std::optional<Millis> take(Uid user, Time now);
  // Whether it is time to log this user again.
  bool is_to_be_logged(Uid user, Time now);
  std::size_t users() const { return buckets_.size(); }

 private:
  struct Bucket {
    std::uint32_t tokens = 0;
    Time filled;  // the time up to which tokens were added
    std::optional<Time> logged;
  };
  void refill(Bucket& bucket, Time now) const;
  void forget_full(Time now);

  RateLimitSettings settings_;
  std::map<Uid, Bucket> buckets_;
};

}  // namespace muster::controller
