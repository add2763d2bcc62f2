// Looks up requests in the cache, and computes the missing answers.
#include "sched/place/feasibility_cache.h"

#include <algorithm>

#include "sched/place/place.h"

namespace muster::sched {

Result<const std::vector<NodeShare>*> FeasibilityCache::check(const Cluster& cluster,
                                                              ResourceRequest request,
                                                              const Partition& partition) {
  request.user = {};  // on an empty cluster the user makes no difference
  auto known = std::ranges::find_if(known_, [&](const Known& k) {
    return k.request == request && k.partition == partition.name;
  });
  if (known != known_.end()) return &known->shares;
  auto shares = feasible(cluster, request, partition);
  if (!shares) return std::unexpected(shares.error());
  if (known_.size() == kMost) known_.pop_back();
  known_.push_front({partition.name, std::move(request), std::move(*shares)});
  return &known_.front().shares;
}

}  // namespace muster::sched
