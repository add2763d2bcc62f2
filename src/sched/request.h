// A job's request in the terms of placement: parsed once, defaults filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::sched {

struct Request {
  std::uint32_t min_nodes = 1;
  std::uint32_t max_nodes = 0;  // never below min_nodes
  std::uint32_t tasks = 1;
  bool tasks_follow_nodes = false;       // no -n: one task (or ntasks-per-node) on each node
  std::uint32_t tasks_per_node_max = 0;  // 0 = no bound
  std::uint32_t cpus_per_task = 1;
  std::uint32_t min_cpus_per_node = 0;
  std::optional<std::uint64_t> memory_per_node_mib;  // 0 = the whole node's
  std::optional<std::uint64_t> memory_per_cpu_mib;
  std::optional<std::uint64_t> memory_per_gpu_mib;
  std::vector<GresRequest> gres_per_node;
  std::optional<GresRequest> gpus_total, gpus_per_task;
  std::vector<NodeId> required_nodes, excluded_nodes;  // ascending
  std::vector<Text> features_all;                      // "a&b"
  std::vector<std::vector<Text>> features_any;         // "a|b": one of each list
  bool exclusive = false, contiguous = false, overcommit = false;
};

// Fails where the request names something that does not exist (node, feature, gres) or is
// malformed.
Result<Request> make_request(const Cluster& cluster, const JobSpec& spec,
                             const Partition& partition);

}  // namespace muster::sched
