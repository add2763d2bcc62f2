// Computes when nodes must run HealthCheckProgram.
#include "controller/nodes/health.h"

namespace muster::controller {

std::int64_t health_round(const HealthCheck& check, NodeId node, Time now) {
  if (check.interval.count() == 0) return 0;
  constexpr std::uint32_t kMoments = 64;
  const Millis interval = check.interval;
  const Millis shift = check.cycle ? interval * (node.value % kMoments) / kMoments : Millis{0};
  return (now.time_since_epoch() + shift) / interval;
}

bool wants_health_check(const HealthCheck& check, const Node& node) {
  if (check.any) return true;
  const bool works = node.jobs.size() > node.completing.size();
  const bool full = node.used_cpus.size() >= node.config.cpus;
  if (works) return full ? check.alloc : check.mixed;
  return check.idle || (check.nondrained_idle && !node.drain);
}

}  // namespace muster::controller
