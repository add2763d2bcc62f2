// KnownFits: what feasible() has answered lately. Users send the same request again and again, and
// the answer is the same as long as neither nodes nor partitions change.
#pragma once

#include <deque>
#include <vector>

#include "base/result.h"
#include "sched/request/request.h"

namespace muster::sched {

class KnownFits {
 public:
  // As feasible(). The shares stay valid until the next call.
  Result<const std::vector<NodeShare>*> check(const Cluster& cluster, Request request,
                                              const Partition& partition);
  void forget() { known_.clear(); }  // nodes or partitions have changed

 private:
  static constexpr std::size_t kMost = 64;
  struct Known {
    Text partition;
    Request request;
    std::vector<NodeShare> shares;
  };
  std::deque<Known> known_;  // the latest first
};

}  // namespace muster::sched
