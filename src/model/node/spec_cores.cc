// Picks specialised cores.
#include "model/node/spec_cores.h"

#include <algorithm>

namespace muster {

std::uint32_t cpus_per_core(const NodeConfig& node) {
  const std::uint32_t cores = std::max(1u, node.cores_per_socket) * std::max(1u, node.sockets);
  const std::uint32_t threads = std::max(1u, node.threads_per_core);
  return node.cpus < cores * threads ? 1 : threads;  // CPUs= may count cores
}

IdSet spec_cpus(const NodeConfig& node, std::uint32_t cores) {
  const std::uint32_t threads = cpus_per_core(node), sockets = std::max(1u, node.sockets);
  const std::uint32_t per_socket = std::max(1u, node.cpus / threads / sockets);
  IdSet cpus;
  for (std::uint32_t i = 0; i < cores && i < sockets * per_socket; ++i) {
    const std::uint32_t place = i % sockets * per_socket + i / sockets;
    const std::uint32_t core = node.first_cores_spec ? place : sockets * per_socket - 1 - place;
    cpus.insert(core * threads, core * threads + threads - 1);
  }
  return cpus;
}

IdSet spec_cpus(const NodeConfig& node) {
  if (node.cpu_spec_list.empty()) return spec_cpus(node, node.core_spec_count);
  const std::uint32_t threads = cpus_per_core(node);
  IdSet cpus;
  if (auto listed = IdSet::parse(node.cpu_spec_list.view(), std::max(1u, node.cpus) - 1))
    for (std::uint32_t cpu : listed->ids()) {
      const std::uint32_t first = cpu / threads * threads;
      cpus.insert(first, first + threads - 1);
    }
  return cpus;
}

}  // namespace muster
