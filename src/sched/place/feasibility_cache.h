// FeasibilityCache: recent answers of feasible(). Users send the same request again and again, and
// the answer stays the same until nodes or partitions change.
#pragma once

#include <deque>
#include <vector>

#include "base/result.h"
#include "sched/request/request.h"

namespace muster::sched {

class FeasibilityCache {
 public:
  // The same answer as feasible(). The shares stay valid until the next call.
  Result<const std::vector<NodeShare>*> check(const Cluster& cluster, ResourceRequest request,
                                              const Partition& partition);
  void forget() { known_.clear(); }  // nodes or partitions have changed

 private:
  static constexpr std::size_t kMost = 64;
  struct Known {
    Text partition;
    ResourceRequest request;
    std::vector<NodeShare> shares;
  };
  std::deque<Known> known_;  // the latest first
};

}  // namespace muster::sched
