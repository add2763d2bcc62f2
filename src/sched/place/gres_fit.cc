// Takes devices from what is free on a node: whole ones, and shares of GPUs (mps, shard).
#include "sched/place/gres_fit.h"

#include <algorithm>

namespace muster::sched {

namespace {

bool matches(const GresRequest& wanted, const auto& pool) {
  return pool.name == wanted.name && (wanted.type.empty() || pool.type == wanted.type);
}

const GresPool* pool_of(const Node& node, const GresShare& share) {
  for (const GresPool& pool : node.config.gres)
    if (pool.name == share.name && pool.type == share.type) return &pool;
  return nullptr;
}

void drop(GresShare& share, const IdSet& indices) {
  IdSet gone = share.indices.intersect(indices);
  share.indices.subtract(gone);
  share.count -= std::min(share.count, gone.size());
}

void add_to(std::vector<GresShare>& taken, GresShare part) {
  auto same = std::ranges::find_if(
      taken, [&](const GresShare& t) { return t.name == part.name && t.type == part.type; });
  if (same == taken.end()) {
    taken.push_back(std::move(part));
    return;
  }
  same->count += part.count;
  same->indices.merge(part.indices);
  same->devices.merge(part.devices);
}

IdSet first_of(const IdSet& free, const IdSet& preferred, std::uint64_t count) {
  IdSet chosen = free.intersect(preferred).first(count);
  if (chosen.size() == count) return chosen;
  IdSet others = free;
  others.subtract(chosen);
  chosen.merge(others.first(count - chosen.size()));
  return chosen;
}

// GPUs that are free as a whole.
IdSet whole_gpus(const Free& free) {
  IdSet gpus;
  for (const GresShare& g : free.gres)
    if (g.name == "gpu") gpus.merge(g.indices);
  return gpus;
}

}  // namespace

std::uint64_t free_devices(const Devices& free, const GresRequest& wanted) {
  std::uint64_t n = 0;
  for (const GresShare& g : free)
    if (matches(wanted, g)) n += g.count;
  return n;
}

bool take_devices(Devices& free, const GresRequest& wanted, std::uint64_t count,
                  std::vector<GresShare>& taken, const IdSet& preferred) {
  for (GresShare& g : free) {
    if (count == 0) return true;
    if (!matches(wanted, g) || g.count == 0) continue;
    std::uint64_t n = std::min(count, g.count);
    GresShare part{.name = g.name,
                   .type = g.type,
                   .count = n,
                   .indices = first_of(g.indices, preferred, n),
                   .devices = g.devices};
    g.count -= n;
    g.indices.subtract(part.indices);
    count -= n;
    add_to(taken, std::move(part));
  }
  return count == 0;
}

bool has_parts_of_gpus(const Node& node) {
  return std::ranges::any_of(node.config.gres, &GresPool::is_part_of_gpus);
}

void part_gpus(const Node& node, Free& free) {
  const IdSet whole = whole_gpus(free);
  for (GresShare& g : free.gres) {
    const GresPool* pool = pool_of(node, g);
    if (!pool || !pool->is_part_of_gpus()) continue;
    IdSet used = pool->indices;
    used.subtract(g.indices);
    const IdSet parted = pool->gpus_of(used);
    for (GresShare& gpu : free.gres)
      if (gpu.name == "gpu") drop(gpu, parted);
    for (std::uint32_t i = 0; i < pool->per_device.size(); ++i) {
      bool elsewhere = g.name == "mps" && !parted.empty() && !parted.contains(i);
      if (!whole.contains(i) || elsewhere) drop(g, pool->shares_of(i));
    }
  }
}

bool take_part(const Node& node, Devices& free, const GresRequest& wanted,
               std::vector<GresShare>& taken, const IdSet& preferred) {
  for (GresShare& g : free) {
    const GresPool* pool = pool_of(node, g);
    if (!pool || !matches(wanted, g) || g.count < wanted.count) continue;
    std::optional<std::uint32_t> best;
    auto rank = [&](std::uint32_t gpu) {
      return std::pair(!preferred.contains(gpu), pool->shares_of(gpu).intersect(g.indices).size());
    };
    for (std::uint32_t gpu = 0; gpu < pool->per_device.size(); ++gpu)
      if (rank(gpu).second >= wanted.count && (!best || rank(gpu) < rank(*best))) best = gpu;
    if (!best) continue;
    GresShare part{.name = g.name,
                   .type = g.type,
                   .count = wanted.count,
                   .indices = pool->shares_of(*best).intersect(g.indices).first(wanted.count),
                   .devices = IdSet::range(*best, *best)};
    g.count -= part.count;
    g.indices.subtract(part.indices);
    for (GresShare& gpu : free)
      if (gpu.name == "gpu") drop(gpu, part.devices);
    add_to(taken, std::move(part));
    return true;
  }
  return false;
}

std::vector<GpuGroup> gpu_groups(const Node& node, std::uint32_t threads_per_core) {
  std::vector<GpuGroup> groups;
  for (const GresPool& pool : node.config.gres) {
    if (pool.name != "gpu" || pool.cores.empty()) continue;
    for (std::uint32_t gpu : pool.indices.ids()) {
      const IdSet cores = pool.cores_near(IdSet::range(gpu, gpu));
      IdSet cpus;
      for (const IdSet::Range& range : cores.ranges())
        cpus.insert(range.first * threads_per_core,
                    range.last * threads_per_core + threads_per_core - 1);
      auto same = std::ranges::find(groups, cpus, &GpuGroup::cpus);
      if (same == groups.end()) same = groups.insert(groups.end(), GpuGroup{{}, cpus});
      same->gpus.insert(gpu);
    }
  }
  return groups;
}

IdSet gpus_near(const std::vector<GpuGroup>& groups, const IdSet& cpus) {
  IdSet near;
  for (const GpuGroup& group : groups)
    if (group.cpus.intersects(cpus)) near.merge(group.gpus);
  return near;
}

IdSet cpus_near(const std::vector<GpuGroup>& groups, const IdSet& gpus) {
  IdSet near;
  for (const GpuGroup& group : groups)
    if (group.gpus.intersects(gpus)) near.merge(group.cpus);
  return near;
}

IdSet gpus_in(const std::vector<GresShare>& gres) {
  IdSet gpus;
  for (const GresShare& g : gres) {
    if (g.name == "gpu") gpus.merge(g.indices);
    gpus.merge(g.devices);
  }
  return gpus;
}

}  // namespace muster::sched
