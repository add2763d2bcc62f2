// loosened: the flags PartitionMaxNodes, PartitionMinNodes and PartitionTimeLimit of a QOS. Its
// jobs may exceed these bounds of their partitions.
#pragma once

#include <optional>
#include <string_view>

#include "model/cluster.h"

namespace muster::sched {

inline bool may_exceed_time(const Cluster& cluster, std::string_view qos) {
  const Qos* own = cluster.find_qos(qos);
  return own && own->over_max_time;
}
inline bool may_exceed_nodes(const Cluster& cluster, std::string_view qos) {
  const Qos* own = cluster.find_qos(qos);
  return own && own->over_max_nodes;
}

// The partition without the bounds that the QOS exceeds; unset if it exceeds none.
inline std::optional<Partition> loosened(const Cluster& cluster, const Partition& partition,
                                         std::string_view qos) {
  const Qos* own = cluster.find_qos(qos);
  if (!own || !(own->over_max_time || own->over_max_nodes || own->over_min_nodes))
    return std::nullopt;
  Partition loose = partition;
  if (own->over_max_time) loose.max_time.reset();
  if (own->over_max_nodes) loose.max_nodes.reset();
  if (own->over_min_nodes) loose.min_nodes = 0;
  return loose;
}

}  // namespace muster::sched
