// Intersects the shares of jobs that may share their CPUs.
#include "sched/place/sharing.h"

namespace muster::sched {

IdSet shareable(const std::vector<Claim>& claims, std::string_view partition,
                std::uint32_t holders) {
  IdSet shared, others;
  CpuOverlap overlap;
  for (const Claim& claim : claims) {
    if (claim.share->sharing <= 1 || claim.partition != partition) {
      others.merge(claim.share->held_cpus());
      continue;
    }
    overlap.add(shared.intersect(claim.share->held_cpus()));
    shared.merge(claim.share->held_cpus());
  }
  shared.subtract(others);
  shared.subtract(overlap.beyond(holders, shared));
  return shared;
}

std::vector<Claim> claims_on(const Cluster& cluster, const Node& node) {
  std::vector<Claim> claims;
  for (std::uint32_t id : node.jobs.ids()) {
    const Job& job = cluster.jobs.at(JobId{id});
    for (const NodeShare& share : job.run->allocation)
      if (share.node == node.id) claims.push_back({&share, first_of(job.partitions).view()});
  }
  return claims;
}

}  // namespace muster::sched
