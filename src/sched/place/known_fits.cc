#include "sched/place/known_fits.h"

#include <algorithm>

#include "sched/place/place.h"

namespace muster::sched {

Result<const std::vector<NodeShare>*> KnownFits::check(const Cluster& cluster, Request request,
                                                       const Partition& partition) {
  request.user = {};  // on an empty cluster it makes no difference who asks
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
