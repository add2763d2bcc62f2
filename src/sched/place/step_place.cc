// Chooses the nodes of a step, spreads its tasks over them, and takes CPUs, memory and devices.
#include "sched/place/step_place.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "base/saturating.h"
#include "sched/place/node_fit.h"

namespace muster::sched {

namespace {

Free free_of(const NodeShare& held) {
  Free free;
  free.cpus = held.cpus;
  free.memory_mib = held.memory_mib;
  free.gres = held.gres;
  return free;
}

struct Slot {
  const NodeShare* held;
  Free free;
  CoreUse core;
  std::uint32_t capacity = 0;  // the most tasks of this step that fit here
  std::uint32_t tasks = 0;
};

class StepPlacer {
 public:
  StepPlacer(const StepDemand& demand, std::vector<Slot> slots)
      : demand_(demand), slots_(std::move(slots)) {
    for (Slot& slot : slots_) slot.capacity = capacity_of(slot);
  }

  std::optional<std::vector<StepNode>> place() {
    if (demand_.distribution.kind == Distribution::Kind::arbitrary) return place_as_listed();
    std::vector<Slot*> usable;
    for (Slot& slot : slots_)
      if (slot.capacity > 0) usable.push_back(&slot);
    // Required nodes first, then those with most free CPUs; equal ones in the job's order.
    std::ranges::stable_sort(usable, std::ranges::greater{}, [&](const Slot* slot) {
      return std::pair(is_required(*slot), slot->free.cpus.size());
    });
    auto required = std::ranges::count_if(usable, [&](const Slot* s) { return is_required(*s); });
    if (static_cast<std::size_t>(required) < demand_.required_nodes.size()) return std::nullopt;
    std::size_t most =
        std::min<std::size_t>({usable.size(), demand_.max_nodes, std::max(1u, demand_.tasks)});
    for (std::size_t count = most; count >= std::max(1u, demand_.min_nodes); --count)
      if (auto nodes =
              place_on({usable.begin(), usable.begin() + static_cast<std::ptrdiff_t>(count)}))
        return nodes;
    return std::nullopt;
  }

  // What this many tasks take of the node; unset if they do not fit.
  std::optional<NodeShare> share_of(const Slot& slot, std::uint32_t tasks) const {
    NodeShare share{.node = slot.held->node, .cpus = {}, .memory_mib = 0, .tasks = tasks};
    if (!take_cpus_of_tasks(slot, tasks, share)) return std::nullopt;
    Free free = slot.free;
    if (!take_gres(slot, tasks, free, share)) return std::nullopt;
    for (const GresRequest& g : demand_.gpus_total)
      if (free_devices(free.gres, g) == 0) return std::nullopt;
    if (!take_cpus_of_gpus(slot, share)) return std::nullopt;
    if (!take_memory(slot, share)) return std::nullopt;
    return share;
  }

 private:
  bool is_required(const Slot& slot) const {
    return std::ranges::find(demand_.required_nodes, slot.held->node) !=
           demand_.required_nodes.end();
  }

  bool take_cpus_of_tasks(const Slot& slot, std::uint32_t tasks, NodeShare& share) const {
    std::uint64_t free = slot.free.cpus.size();
    if (free == 0 || (!demand_.exact && free < slot.held->cpus.size())) return false;
    return take_cpus(slot, std::uint64_t{tasks} * demand_.cpus_per_task, share);
  }

  // --cpus-per-gpu, for the step's GPUs here. The tasks may need more CPUs than that.
  bool take_cpus_of_gpus(const Slot& slot, NodeShare& share) const {
    const std::uint64_t cpus = saturating_multiply(gpus_of(share), demand_.cpus_per_gpu);
    return cpus == 0 || cpus <= share.cpus.size() || take_cpus(slot, cpus, share);
  }

  bool take_cpus(const Slot& slot, std::uint64_t used, NodeShare& share) const {
    const std::uint64_t needed =
        saturating_multiply(ceil_divide(used, slot.core.usable), slot.core.threads);
    const std::uint64_t free = slot.free.cpus.size();
    if (needed > free && !demand_.overcommit) return false;
    share.cpus = demand_.exact ? slot.free.cpus.first(std::min(needed, free)) : slot.held->cpus;
    return true;
  }

  bool take_memory(const Slot& slot, NodeShare& share) const {
    share.memory_mib = slot.held->memory_mib;
    if (demand_.memory_per_node_mib.value_or(0) > 0)
      share.memory_mib = *demand_.memory_per_node_mib;
    else if (demand_.memory_per_cpu_mib.value_or(0) > 0)
      share.memory_mib = saturating_multiply(*demand_.memory_per_cpu_mib, share.cpus.size());
    else if (demand_.memory_per_gpu_mib.value_or(0) > 0 && gpus_of(share) > 0)
      share.memory_mib = saturating_multiply(*demand_.memory_per_gpu_mib, gpus_of(share));
    return !demand_.counts_memory || share.memory_mib <= slot.free.memory_mib;
  }

  static std::uint64_t gpus_of(const NodeShare& share) {
    std::uint64_t gpus = 0;
    for (const GresShare& held : share.gres)
      if (held.name == "gpu") gpus += held.count;
    return gpus;
  }

  bool take_gres(const Slot& slot, std::uint32_t tasks, Free& free, NodeShare& share) const {
    bool asks =
        demand_.gres_per_node || !demand_.gpus_per_task.empty() || !demand_.gpus_total.empty();
    if (!asks) {
      if (free.gres != slot.held->gres) return false;
      share.gres = slot.held->gres;
      return true;
    }
    if (demand_.gres_per_node)
      for (const GresRequest& wanted : *demand_.gres_per_node)
        if (!take_devices(free.gres, wanted, wanted.count, share.gres)) return false;
    return std::ranges::all_of(demand_.gpus_per_task, [&](const GresRequest& g) {
      return take_devices(free.gres, g, saturating_multiply(g.count, tasks), share.gres);
    });
  }

  std::uint32_t capacity_of(const Slot& slot) const {
    std::uint32_t most = demand_.tasks;
    if (demand_.tasks_per_node_max) most = std::min(most, demand_.tasks_per_node_max);
    // Binary search works because more tasks never take less.
    return largest_that_fits(
        most, [&](std::uint32_t tasks) { return share_of(slot, tasks).has_value(); });
  }

  std::optional<std::vector<StepNode>> place_as_listed() {
    std::map<NodeId, std::vector<std::uint32_t>> ranks;
    for (std::uint32_t rank = 0; rank < demand_.task_nodes.size(); ++rank)
      ranks[demand_.task_nodes[rank]].push_back(rank);
    std::vector<Slot*> chosen;
    for (Slot& slot : slots_) {
      auto own = ranks.find(slot.held->node);
      if (own == ranks.end()) continue;
      slot.tasks = static_cast<std::uint32_t>(own->second.size());
      if (slot.tasks > slot.capacity) return std::nullopt;
      chosen.push_back(&slot);
    }
    if (chosen.size() < ranks.size()) return std::nullopt;
    auto nodes = shares_of(chosen);
    if (!nodes) return std::nullopt;
    for (StepNode& node : *nodes) node.ranks = ranks.at(node.node);
    return nodes;
  }

  std::optional<std::vector<StepNode>> place_on(std::vector<Slot*> chosen) const {
    std::ranges::sort(chosen);  // back to the job's order
    if (!count_tasks(chosen)) return std::nullopt;
    auto nodes = shares_of(chosen);
    if (nodes) lay_ranks(*nodes);
    return nodes;
  }

  // Sets the number of tasks of each node. Nodes take tasks in turn so that they spread evenly, and
  // each node gets at least one.
  bool count_tasks(const std::vector<Slot*>& chosen) const {
    for (Slot* slot : chosen) slot->tasks = 0;
    std::uint32_t left = demand_.tasks;
    for (std::uint32_t layer = 1; left > 0; ++layer) {
      std::uint32_t before = left;
      while (give_turn(chosen, layer, left)) {
      }
      if (left == before) return false;
    }
    return std::ranges::all_of(chosen, [](const Slot* slot) { return slot->tasks > 0; });
  }

  // One turn: each node takes some of the remaining tasks, up to `layer` times its CPU capacity.
  bool give_turn(const std::vector<Slot*>& chosen, std::uint32_t layer, std::uint32_t& left) const {
    const Distribution& how = demand_.distribution;
    const std::uint32_t before = left,
                        turn = how.pack.value_or(false) ? demand_.tasks : how.plane_size;
    auto empty = std::ranges::count(chosen, 0u, &Slot::tasks);
    for (Slot* slot : chosen) {
      if (slot->tasks == 0) --empty;  // each empty node behind this one needs a task
      if (left <= empty) break;
      const std::uint32_t limit =
          std::min(slot->capacity, saturated_32(std::uint64_t{cpu_capacity(*slot)} * layer));
      std::uint32_t room = limit > slot->tasks ? limit - slot->tasks : 0;
      std::uint32_t given = std::min({turn, room, left - static_cast<std::uint32_t>(empty)});
      slot->tasks += given;
      left -= given;
    }
    return left < before;
  }

  // The number of tasks that have CPUs of their own. Further tasks of an overcommitted step are
  // spread evenly on top.
  std::uint32_t cpu_capacity(const Slot& slot) const {
    auto cpus = static_cast<std::uint32_t>(slot.free.cpus.size());
    return std::max(1u, cpus / slot.core.threads * slot.core.usable / demand_.cpus_per_task);
  }

  std::optional<std::vector<StepNode>> shares_of(const std::vector<Slot*>& chosen) const {
    std::vector<StepNode> nodes;
    GresRequests gpus_left = demand_.gpus_total;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      auto share = share_of(*chosen[i], chosen[i]->tasks);
      if (!share) return std::nullopt;
      if (!gpus_left.empty()) {
        if (!take_counted(*chosen[i], chosen.size() - i - 1, gpus_left, *share))
          return std::nullopt;
        if (!take_cpus_of_gpus(*chosen[i], *share) || !take_memory(*chosen[i], *share))
          return std::nullopt;
      }
      nodes.push_back({.node = share->node, .ranks = {}, .share = std::move(*share)});
    }
    if (sum_of(gpus_left) > 0) return std::nullopt;
    return nodes;
  }

  // Takes GPUs counted over the whole step. Each later node needs at least one GPU of each type
  // that is left.
  static bool take_counted(const Slot& slot, std::uint64_t later, GresRequests& left,
                           NodeShare& share) {
    Free free = slot.free;
    for (const GresShare& taken : share.gres) take(free, {.gres = {taken}});
    std::uint64_t sum = 0;
    for (GresRequest& g : left) {
      const std::uint64_t n =
          std::min(free_devices(free.gres, g), g.count - std::min(g.count, later));
      if (!take_devices(free.gres, g, n, share.gres)) return false;
      g.count -= n;
      sum += n;
    }
    return sum > 0 || !share.gres.empty();
  }

  void lay_ranks(std::vector<StepNode>& nodes) const {
    std::uint32_t rank = 0, turn = demand_.tasks;
    if (demand_.distribution.kind == Distribution::Kind::cyclic) turn = 1;
    if (demand_.distribution.kind == Distribution::Kind::plane)
      turn = demand_.distribution.plane_size;
    while (rank < demand_.tasks)
      for (StepNode& node : nodes)
        for (std::uint32_t i = 0; i < turn && node.ranks.size() < node.share.tasks; ++i)
          node.ranks.push_back(rank++);
  }

  const StepDemand& demand_;
  std::vector<Slot> slots_;
};

std::vector<Slot> slots_of(const std::vector<NodeShare>& held, const std::vector<NodeShare>& used,
                           const StepDemand& demand) {
  std::vector<Slot> slots;
  for (const NodeShare& share : held) {
    Slot slot{.held = &share, .free = free_of(share)};
    if (!demand.cores.empty()) slot.core = demand.cores.at(slots.size());
    for (const NodeShare& other : used)
      if (other.node == share.node) take(slot.free, other);
    slots.push_back(std::move(slot));
  }
  return slots;
}

// A message about gres that the step asks for and the job does not have; empty if it has all.
std::string missing_gres(const std::vector<Slot>& slots, const StepDemand& demand) {
  auto most_of = [&](const GresRequest& wanted) {
    std::uint64_t most = 0;
    for (const Slot& slot : slots) most = std::max(most, free_devices(slot.free.gres, wanted));
    return most;
  };
  auto name_of = [](const GresRequest& g) {
    return g.type.empty() ? g.name.str() : fmt::format("{}:{}", g.name.view(), g.type.view());
  };
  GresRequests wanted = demand.gres_per_node.value_or(GresRequests{});
  for (const auto& gpus : {demand.gpus_total, demand.gpus_per_task})
    wanted.insert(wanted.end(), gpus.begin(), gpus.end());
  const bool has_any =
      std::ranges::any_of(slots, [](const Slot& slot) { return !slot.held->gres.empty(); });
  if (!wanted.empty() && !has_any) return "Step requested GRES but job doesn't have GRES";
  for (const GresRequest& each : wanted)
    if (most_of(each) == 0)
      return fmt::format("Step requested GRES ({}) not found in the job", name_of(each));
  if (demand.gres_per_node)
    for (const GresRequest& each : *demand.gres_per_node)
      if (std::uint64_t most = most_of(each); each.count > most)
        return fmt::format(
            "Step requested gres_per_node={0}:{1} is more than the job's gres_per_node={0}:{2}",
            name_of(each), each.count, most);
  return {};
}

bool gpus_never_suffice(const std::vector<Slot>& slots, const StepDemand& demand) {
  auto are_too_many = [&](const GresRequests& types, std::uint64_t times) {
    return std::ranges::any_of(types, [&](const GresRequest& wanted) {
      std::uint64_t sum = 0;
      for (const Slot& slot : slots) sum += free_devices(slot.free.gres, wanted);
      return saturating_multiply(wanted.count, times) > sum;
    });
  };
  return are_too_many(demand.gpus_total, 1) || are_too_many(demand.gpus_per_task, demand.tasks);
}

// Why the step does not fit into its job even when no other step runs.
Error never_fits(const std::vector<Slot>& slots, const StepDemand& demand) {
  auto has = [&](NodeId id) {
    return std::ranges::any_of(slots, [&](const Slot& slot) { return slot.held->node == id; });
  };
  if (slots.size() < demand.min_nodes || !std::ranges::all_of(demand.required_nodes, has) ||
      !std::ranges::all_of(demand.task_nodes, has))
    return {ErrorCode::requested_node_config_unavailable, {}};
  if (std::string missing = missing_gres(slots, demand); !missing.empty())
    return {ErrorCode::invalid_gres, missing};
  if (gpus_never_suffice(slots, demand)) return {ErrorCode::invalid_gres, {}};
  std::uint64_t memory = demand.memory_per_node_mib.value_or(0);
  if (demand.memory_per_cpu_mib)
    memory = saturating_multiply(*demand.memory_per_cpu_mib, demand.cpus_per_task);
  if (demand.memory_per_gpu_mib) memory = *demand.memory_per_gpu_mib;
  if (demand.counts_memory &&
      std::ranges::all_of(slots, [&](const Slot& s) { return s.free.memory_mib < memory; }))
    return {ErrorCode::insufficient_memory, {}};
  return {ErrorCode::too_many_cpus, {}};
}

}  // namespace

Result<std::vector<StepNode>> place_step(const std::vector<NodeShare>& held,
                                         const std::vector<NodeShare>& used,
                                         const StepDemand& demand) {
  const std::vector<Slot> whole = slots_of(held, {}, demand);
  std::vector<StepDemand> tries{demand};
  if (demand.cpus_per_task_is_wish && demand.cpus_per_task > 1) {
    tries.push_back(demand);
    tries.back().cpus_per_task = 1;
  }
  for (const StepDemand& each : tries) {
    if (auto nodes = StepPlacer(each, slots_of(held, used, each)).place()) return *std::move(nodes);
    if (StepPlacer(each, whole).place()) return fail(ErrorCode::nodes_busy);
  }
  return std::unexpected(never_fits(whole, tries.back()));
}

}  // namespace muster::sched
