// Chooses ports for --resv-ports: ports of MpiParams that no other step on the same nodes has.
#include "controller/steps/ports.h"

#include <algorithm>

namespace muster::controller {

Result<IdSet> reserve_ports(const Cluster& cluster, const Step& step, JobId job,
                            std::optional<std::uint32_t> asked) {
  IdSet left = cluster.settings().step_ports;
  if (left.empty() && !asked) return left;
  std::size_t count = asked.value_or(0);
  if (!asked)
    for (const StepNode& place : step.nodes) count = std::max(count, place.ranks.size() + 1);
  if (left.size() < count) return fail("Requires more ports than can be reserved");
  for (const StepNode& place : step.nodes)
    for (std::uint32_t id : cluster.nodes.at(place.node).jobs.ids())
      for (const auto& [other_id, other] : cluster.jobs.at(JobId{id}).run->steps)
        if (other.unfinished.contains(place.node)) left.subtract(other.reserved_ports);
  if (left.size() < count) return fail(ErrorCode::nodes_busy);  // until another step ends
  // Steps start their search at different ports, because a port may still be in use just after a
  // step.
  const std::vector<std::uint32_t> ports = left.ids();
  const std::size_t offset = job.value * 31 + cluster.jobs.at(job).run->next_step;
  IdSet taken;
  for (std::size_t i = 0; i < count; ++i) taken.insert(ports[(offset + i) % ports.size()]);
  return taken;
}

}  // namespace muster::controller
