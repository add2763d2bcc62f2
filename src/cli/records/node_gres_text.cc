// Formats the generic resources of nodes and of jobs on them.
#include <fmt/format.h>

#include <algorithm>

#include "cli/records/record_text.h"
#include "cli/tables/ranges.h"

namespace muster::cli {

namespace {

IdSet sockets_of(const NodeConfig& node, const IdSet& cores) {
  IdSet sockets;
  for (const IdSet::Range& range : cores.ranges())
    sockets.insert(range.first / std::max(1u, node.cores_per_socket),
                   range.last / std::max(1u, node.cores_per_socket));
  return sockets;
}

// The cores close to the GPUs of the pool, or to the GPUs whose shares it has.
IdSet cores_of(const NodeConfig& node, const GresPool& pool) {
  if (!pool.is_part_of_gpus()) return pool.cores_near(pool.indices);
  IdSet cores;
  for (const GresPool& other : node.gres)
    if (other.name == "gpu") cores.merge(other.cores_near(pool.gpus_of(pool.indices)));
  return cores;
}

std::string pool_text(const GresPool& pool, std::uint64_t count) {
  std::string out = pool.name.str();
  if (!pool.type.empty()) out += fmt::format(":{}", pool.type.view());
  return out + fmt::format(":{}", count);
}

}  // namespace

std::string gres_of_node(const NodeConfig& node) {
  bool has_cores =
      std::ranges::any_of(node.gres, [](const GresPool& p) { return !p.cores.empty(); });
  if (!has_cores) return node.gres_text.str();
  std::string out;
  for (const GresPool& pool : node.gres) {
    if (!out.empty()) out += ',';
    out += pool_text(pool, pool.count);
    if (IdSet sockets = sockets_of(node, cores_of(node, pool)); !sockets.empty())
      out += fmt::format("(S:{})", sockets.text());
  }
  return out;
}

std::string used_gres_of_node(const Node& node) {
  std::string out;
  for (const GresPool& pool : node.config.gres) {
    std::uint64_t count = 0;
    IdSet indices;
    for (const GresShare& used : node.used_gres)
      if (used.name == pool.name && (used.type == pool.type || used.type.empty())) {
        count += used.count;
        indices.merge(used.indices);
      }
    if (pool.is_part_of_gpus()) indices = pool.gpus_of(indices);
    if (!out.empty()) out += ',';
    out += pool_text(pool, count);
    if (!pool.indices.empty())
      out += fmt::format("(IDX:{})", indices.empty() ? "N/A" : ranges_text(indices));
  }
  return out;
}

}  // namespace muster::cli
