// Picks the time limit of a job.
#include "sched/request/time_limit.h"

#include <algorithm>

#include "base/text/duration.h"

namespace muster::sched {

namespace {

bool has_own_limit(const JobSpec& spec) { return spec.time_limit && spec.time_limit->count() > 0; }

}  // namespace

Minutes effective_limit(const Cluster& cluster, const JobSpec& spec, const Partition& partition,
                        std::string_view qos) {
  if (has_own_limit(spec)) return *spec.time_limit;
  const Qos* own = cluster.find_qos(qos);
  Minutes allowed = kUnlimited;
  if (own)
    allowed = std::min(own->limits.max_wall.value_or(kUnlimited),
                       own->limits.group.wall.value_or(kUnlimited));
  if (partition.default_time) return std::min(allowed, *partition.default_time);
  return std::min(allowed, partition.max_time.value_or(kUnlimited));
}

Minutes limit_in(const Cluster& cluster, const Job& job, const Partition& partition) {
  if (has_own_limit(*job.spec)) return job.time_limit;
  return effective_limit(cluster, *job.spec, partition, job.qos);
}

}  // namespace muster::sched
