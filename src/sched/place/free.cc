// Takes shares of jobs out of what is free, and gives them back.
#include "sched/place/free.h"

#include <algorithm>

#include "model/node/spec_cores.h"

namespace muster::sched {

namespace {

GresShare* pool_of(Free& free, const GresShare& share) {
  for (GresShare& g : free.gres)
    if (g.name == share.name && g.type == share.type) return &g;
  return nullptr;
}

}  // namespace

std::uint32_t cpus_per_core(const Node& node) { return muster::cpus_per_core(node.config); }

IdSet all_cpus_of(const Node& node) {
  IdSet cpus = IdSet::range(0, std::max(1u, node.config.cpus) - 1);
  if (node.config.core_spec_count > 0 || !node.config.cpu_spec_list.empty())
    cpus.subtract(spec_cpus(node.config));
  return cpus;
}

Free all_of(const Node& node) {
  Free free;
  free.cpus = all_cpus_of(node);
  free.memory_mib =
      node.config.memory_mib - std::min(node.config.memory_mib, node.config.memory_spec_limit_mib);
  for (const GresPool& pool : node.config.gres)
    free.gres.push_back(
        {.name = pool.name, .type = pool.type, .count = pool.count, .indices = pool.indices});
  return free;
}

Free free_of(const Node& node) {
  Free free = all_of(node);
  take(free, {.cpus = node.used_cpus, .memory_mib = node.used_memory_mib, .gres = node.used_gres});
  free.shared_cpus = node.shared_cpus;
  free.untouched = node.jobs.empty();
  return free;
}

void take(Free& free, const NodeShare& share) {
  free.untouched = false;
  if (IdSet again = share.held_cpus(); !again.empty()) {
    again.subtract(free.cpus);
    free.shared_cpus.add(std::move(again));
  }
  free.cpus.subtract(share.held_cpus());
  free.cpus.subtract(share.left_to_system);
  free.memory_mib -= std::min(free.memory_mib, share.memory_mib);
  for (const GresShare& taken : share.gres)
    if (GresShare* g = pool_of(free, taken)) {
      g->count -= std::min(g->count, taken.count);
      g->indices.subtract(taken.indices);
    }
}

void give_back_cpus(Free& free, const IdSet& cpus) {
  free.cpus.merge(free.shared_cpus.remove(cpus));
}

void give_back(Free& free, const NodeShare& share) {
  give_back_cpus(free, share.held_cpus());
  free.cpus.merge(share.left_to_system);
  free.memory_mib += share.memory_mib;
  for (const GresShare& back : share.gres)
    if (GresShare* g = pool_of(free, back)) {
      g->count += back.count;
      g->indices.merge(back.indices);
    }
}

bool holds(const Free& free, const NodeShare& share) {
  if (free.cpus.intersect(share.cpus).size() != share.cpus.size()) return false;
  if (free.memory_mib < share.memory_mib) return false;
  return std::all_of(share.gres.begin(), share.gres.end(), [&](const GresShare& wanted) {
    return std::any_of(free.gres.begin(), free.gres.end(), [&](const GresShare& g) {
      return g.name == wanted.name && g.type == wanted.type && g.count >= wanted.count &&
             g.indices.intersect(wanted.indices).size() == wanted.indices.size();
    });
  });
}

}  // namespace muster::sched
