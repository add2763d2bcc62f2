// Checks and applies a new Gres= of a node.
#include "controller/nodes/node_gres.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::controller {

namespace {

const NodeConfig& configured(const Cluster& cluster, const Node& node) {
  const auto& nodes = (*cluster.config).nodes;
  auto at = std::ranges::find(nodes, node.config.name, &NodeConfig::name);
  return at == nodes.end() ? node.config : *at;
}

std::uint64_t count_of(const auto& list, const Text& name) {
  std::uint64_t sum = 0;
  for (const auto& each : list)
    if (each.name == name) sum += each.count;
  return sum;
}

// Gres that the configuration does not name have no devices, only a count.
Result<GresPool> counted(const Settings& settings, const GresRequest& wanted) {
  const bool known =
      std::ranges::find(settings.gres_types, wanted.name) != settings.gres_types.end();
  if (!known || wanted.name == "gpu" || is_part_of_gpus(wanted.name))
    return fail(ErrorCode::invalid_gres);
  return GresPool{.name = wanted.name, .type = wanted.type, .count = wanted.count};
}

std::string text_of(const std::vector<GresPool>& pools) {
  std::vector<std::string> parts;
  for (const GresPool& p : pools)
    parts.push_back(
        fmt::format("{}{}{}:{}", p.name.view(), p.type.empty() ? "" : ":", p.type.view(), p.count));
  return join(parts, ",");
}

bool has_all_in_use(const std::vector<GresPool>& pools, const Node& node) {
  return std::ranges::all_of(node.used_gres, [&](const GresShare& used) {
    return std::ranges::any_of(pools, [&](const GresPool& pool) {
      return pool.name == used.name && pool.type == used.type && pool.count >= used.count;
    });
  });
}

}  // namespace

Result<NodeGres> changed_gres(const Cluster& cluster, const Node& node, std::string_view text) {
  const auto wanted = parse_gres(text);
  if (!wanted) return fail(ErrorCode::invalid_gres);
  const NodeConfig& config = configured(cluster, node);
  NodeGres gres;
  for (const GresPool& pool : config.gres) {
    if (pool.indices.empty() || count_of(*wanted, pool.name) == 0) continue;
    if (count_of(*wanted, pool.name) != count_of(config.gres, pool.name))
      return fail(ErrorCode::invalid_gres);
    gres.pools.push_back(pool);
  }
  const std::vector<GresPool> devices = gres.pools;
  for (const GresRequest& each : *wanted) {
    if (each.count == 0 || count_of(devices, each.name) > 0) continue;
    auto pool = counted(cluster.settings(), each);
    if (!pool) return std::unexpected(pool.error());
    gres.pools.push_back(std::move(*pool));
  }
  const bool parts_lack_gpus = count_of(gres.pools, "gpu") == 0 &&
                               std::ranges::any_of(gres.pools, &GresPool::is_part_of_gpus);
  if (parts_lack_gpus) return fail(ErrorCode::invalid_gres);
  if (!has_all_in_use(gres.pools, node)) return fail(ErrorCode::nodes_busy);
  gres.text = gres.pools == config.gres ? config.gres_text : Text(text_of(gres.pools));
  add_detected(gres.pools, node.facts.gres);
  return gres;
}

}  // namespace muster::controller
