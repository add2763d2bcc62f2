// Chooses the port for --rendezvous: a port on the step's first node that no other step there has.
#include "controller/steps/ports.h"

#include <set>

namespace muster::controller {

Result<std::uint32_t> meeting_port(const Cluster& cluster, NodeId node, JobId job, StepId step) {
  std::set<std::uint32_t> taken;
  for (std::uint32_t id : cluster.nodes.at(node).jobs.ids())
    for (const auto& [other_id, other] : cluster.jobs.at(JobId{id}).run->steps)
      if (!is_ended(other.state) && other.meeting_port && other.het.first_task == 0 &&
          other.nodes.front().node == node)
        taken.insert(other.meeting_port);
  const Settings& s = cluster.settings();
  const std::uint32_t count = s.last_meeting_port - s.first_meeting_port + 1;
  // Steps start their search at different ports, because a port may still be in use just after a
  // step.
  const std::uint32_t offset = (job.value * 31 + step.value) % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const std::uint32_t port = s.first_meeting_port + (offset + i) % count;
    if (!taken.contains(port)) return port;
  }
  return fail(ErrorCode::nodes_busy);  // until another step ends
}

}  // namespace muster::controller
