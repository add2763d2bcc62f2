// Translates a step's request into counts and lists.
#include "controller/steps/step_demand.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/saturating.h"
#include "base/text/hostlist.h"
#include "sched/request/features.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

// A message that srun prints as it is.
std::unexpected<Error> unavailable(std::string words) {
  return fail(ErrorCode::requested_node_config_unavailable, std::move(words));
}

Result<std::vector<NodeShare>> usable_shares(const Cluster& cluster, const Job& job,
                                             const wire::StepRequest& request,
                                             const std::set<NodeId>& taken) {
  auto excluded = cluster.nodes_named(request.excluded_nodes);
  if (!excluded) return std::unexpected(excluded.error());
  auto wanted = sched::parse_constraint(cluster, request.features);
  if (!wanted) return std::unexpected(wanted.error());
  std::vector<NodeShare> shares;
  for (std::size_t i = request.relative.value_or(0); i < job.run->allocation.size(); ++i) {
    const NodeShare& share = job.run->allocation[i];
    if (std::ranges::find(*excluded, share.node) == excluded->end() &&
        job.run->unfinished.contains(share.node) && !taken.contains(share.node) &&
        sched::has_features(cluster.nodes.at(share.node), wanted->each))
      shares.push_back(share);
  }
  std::size_t all = job.run->allocation.size(), relative = request.relative.value_or(0);
  std::size_t nodes = std::max(1u, request.min_nodes);
  if (relative > 0 && relative + nodes > all)
    return unavailable(
        fmt::format("--relative and --nodes option incompatible with count of allocated nodes "
                    "({}+{}>{})",
                    relative, nodes, all));
  if (!taken.empty() && shares.size() < nodes)
    return unavailable(
        fmt::format("Allocation failure of {} nodes: job size of {}, already allocated {} nodes to "
                    "previous components.",
                    nodes, all, taken.size()));
  if (shares.empty()) return unavailable("Hostlist is empty!  Can't run job.");
  if (nodes > all)
    return unavailable(fmt::format("Only allocated {} nodes asked for {}", all, nodes));
  return shares;
}

struct AskedDevices {
  Text gres, gpus, gpus_per_task;
  bool any() const { return !gres.empty() || !gpus.empty() || !gpus_per_task.empty(); }
};

// A step that names no devices gets all devices of its job. If the job has more than it asked for,
// because it has whole nodes, the step gets what the job asked for.
AskedDevices asked_devices(const Cluster& cluster, const Job& job,
                           const wire::StepRequest& request) {
  const AskedDevices own{request.gres, request.gpus, request.gpus_per_task};
  const JobSpec& spec = *job.spec;
  const Partition* partition = cluster.find_partition(job.partition);
  if (own.any() || !spec.gpus_per_socket.empty() || !partition ||
      !sched::has_all_devices(cluster, spec, *partition))
    return own;
  AskedDevices inherited{Text(gres_of_each_node(spec)), spec.gpus, spec.gpus_per_task};
  if (!inherited.any()) inherited.gres = "none";
  return inherited;
}

// If several options count GPUs of the same type, they mean the same GPUs.
void keep_one_count_of_gpus(sched::StepDemand& demand) {
  if (demand.gres_per_node) {
    drop_kinds_of(*demand.gres_per_node, demand.gpus_per_task);
    drop_kinds_of(*demand.gres_per_node, demand.gpus_total);
  }
  drop_kinds_of(demand.gpus_per_task, demand.gpus_total);
}

Result<void> set_gres(const Settings& settings, const AskedDevices& asked,
                      sched::StepDemand& demand) {
  if (!asked.gres.empty()) {
    auto list = parse_gres(asked.gres);
    if (!list) return fail(ErrorCode::invalid_gres);
    std::erase_if(*list, [](const GresRequest& g) { return g.count == 0; });
    for (const GresRequest& each : *list)
      if (std::ranges::find(settings.gres_types, each.name) == settings.gres_types.end())
        return unavailable(std::string(error_text(ErrorCode::invalid_gres)));
    demand.gres_per_node = std::move(*list);
  }
  for (auto [text, target] : {std::pair{&asked.gpus, &demand.gpus_total},
                              std::pair{&asked.gpus_per_task, &demand.gpus_per_task}}) {
    if (text->empty()) continue;
    auto gpus = parse_gpus(*text);
    if (!gpus) return fail(ErrorCode::invalid_gres);
    std::erase_if(*gpus, [](const GresRequest& g) { return g.count == 0; });
    *target = std::move(*gpus);
  }
  keep_one_count_of_gpus(demand);
  return {};
}

void set_memory(const Cluster& cluster, const Job& job, const wire::StepRequest& request,
                sched::StepDemand& demand) {
  const Settings& settings = cluster.settings();
  const JobSpec& spec = *job.spec;
  demand.memory_per_node_mib = request.memory_per_node_mib;
  demand.memory_per_cpu_mib = request.memory_per_cpu_mib;
  demand.memory_per_gpu_mib = request.memory_per_gpu_mib;
  bool asked = demand.memory_per_node_mib || demand.memory_per_cpu_mib || demand.memory_per_gpu_mib;
  if (!asked && !spec.memory_per_node_mib && !spec.memory_per_gpu_mib) {
    const Partition* partition = cluster.find_partition(job.partition);
    demand.memory_per_cpu_mib = spec.memory_per_cpu_mib;
    if (!demand.memory_per_cpu_mib && partition)
      demand.memory_per_cpu_mib = partition->default_memory_per_cpu_mib;
    if (!demand.memory_per_cpu_mib) demand.memory_per_cpu_mib = settings.default_memory_per_cpu_mib;
  }
  bool job_asked = spec.memory_per_node_mib.value_or(0) > 0 || spec.memory_per_gpu_mib;
  demand.counts_memory =
      settings.memory_is_consumable && (asked || job_asked || demand.memory_per_cpu_mib);
}

// Whole cores, if the cluster allocates cores, with as many of their threads as requested.
void set_cores(const Cluster& cluster, const wire::StepRequest& request,
               const std::vector<NodeShare>& held, sched::StepDemand& demand) {
  for (const NodeShare& share : held) {
    std::uint32_t threads = std::max(1u, cluster.nodes.at(share.node).config.threads_per_core);
    std::uint32_t usable = std::clamp(request.threads_per_core.value_or(threads), 1u, threads);
    bool whole = cluster.settings().use_core_granularity || usable < threads;
    demand.cores.push_back(whole ? sched::CoreUse{threads, usable} : sched::CoreUse{});
  }
}

// The numbers of nodes and tasks that the request leaves open.
Result<void> set_counts(const wire::StepRequest& request, std::size_t usable,
                        std::uint32_t tasks_on_node_max, sched::StepDemand& demand) {
  std::uint32_t per_node = request.ntasks_per_node.value_or(0);
  auto named = static_cast<std::uint32_t>(demand.required_nodes.size());
  auto all = static_cast<std::uint32_t>(usable);
  demand.tasks_per_node_max = per_node ? std::min(per_node, tasks_on_node_max) : tasks_on_node_max;
  std::uint32_t least = std::max({1u, request.min_nodes, named});
  std::uint32_t most = request.max_nodes ? std::max(request.max_nodes, least) : all;
  // Named nodes; others only if there are more tasks.
  if (!request.min_nodes && named && !request.num_tasks) most = named;
  if (!request.num_tasks && !request.min_nodes && !named) least = all;
  // From a range it takes as many nodes as there are.
  if (!request.num_tasks && request.min_nodes && request.max_nodes > least)
    least = std::max(least, std::min(all, most));
  const std::uint64_t implied = std::uint64_t{least} * std::max(1u, per_node);
  demand.tasks = std::max(1u, request.num_tasks.value_or(saturated_32(implied)));
  demand.min_nodes = std::min(least, demand.tasks);
  demand.max_nodes = std::max(demand.min_nodes, most);
  const std::uint64_t nodes = std::min(demand.max_nodes, all);
  if (per_node > tasks_on_node_max || demand.tasks > nodes * tasks_on_node_max)
    return fail(ErrorCode::bad_task_count);
  return {};
}

// -c without a number of tasks: as many tasks as the CPUs of the step's nodes allow. The step's
// nodes are the named ones, then those with most CPUs.
void count_tasks_by_cpus(const wire::StepRequest& request, const std::vector<NodeShare>& held,
                         sched::StepDemand& demand) {
  if (!request.cpus_per_task || request.num_tasks || request.ntasks_per_node) return;
  // Whether the node is named, number of tasks that fit on it.
  std::vector<std::pair<bool, std::uint32_t>> rooms;
  for (std::size_t i = 0; i < held.size(); ++i) {
    const sched::CoreUse& core = demand.cores.at(i);
    const auto cores = static_cast<std::uint32_t>(held[i].cpus.size()) / core.threads;
    rooms.emplace_back(std::ranges::binary_search(demand.required_nodes, held[i].node),
                       cores * core.usable / demand.cpus_per_task);
  }
  std::ranges::sort(rooms, std::ranges::greater{});
  rooms.resize(std::min<std::size_t>(rooms.size(), demand.min_nodes));
  std::uint32_t tasks = 0;
  for (const auto& [named, room] : rooms) tasks += room;
  demand.tasks = std::max(demand.tasks, tasks);
}

}  // namespace

Result<WantedStep> step_demand(const Cluster& cluster, const Job& job,
                               const wire::StepRequest& request, const std::set<NodeId>& taken) {
  WantedStep wanted;
  sched::StepDemand& demand = wanted.demand;
  auto held = usable_shares(cluster, job, request, taken);
  if (!held) return std::unexpected(held.error());
  wanted.held = std::move(*held);
  auto named = cluster.nodes_named(request.node_list);
  if (!named) return fail(ErrorCode::requested_node_config_unavailable);
  auto distribution = parse_distribution(
      request.distribution.empty() ? std::string_view("block") : request.distribution.view());
  if (!distribution) return fail("Invalid --distribution specification");
  demand.distribution = *distribution;
  if (demand.distribution.kind == Distribution::Kind::block && !demand.distribution.pack)
    demand.distribution.pack = cluster.settings().pack_nodes;
  if (demand.distribution.kind == Distribution::Kind::arbitrary) {
    if (named->empty()) return fail("an arbitrary distribution needs a list of nodes (-w)");
    demand.task_nodes = *named;
  }
  std::ranges::sort(*named);
  named->erase(std::unique(named->begin(), named->end()), named->end());
  demand.required_nodes = std::move(*named);
  if (auto ok = set_counts(request, wanted.held.size(),
                           cluster.settings().request_limits.tasks_per_node, demand);
      !ok)
    return std::unexpected(ok.error());
  demand.cpus_per_task =
      std::max(1u, request.cpus_per_task.value_or(job.spec->cpus_per_task.value_or(1)));
  demand.cpus_per_task_is_wish = !request.cpus_per_task;
  if (!request.cpus_per_task) demand.cpus_per_gpu = request.cpus_per_gpu.value_or(0);
  set_cores(cluster, request, wanted.held, demand);
  count_tasks_by_cpus(request, wanted.held, demand);
  if (!demand.task_nodes.empty())
    demand.tasks = static_cast<std::uint32_t>(demand.task_nodes.size());
  demand.exact = request.exclusive;
  demand.overcommit = request.overcommit;
  set_memory(cluster, job, request, demand);
  if (auto ok = set_gres(cluster.settings(), asked_devices(cluster, job, request), demand); !ok)
    return std::unexpected(ok.error());
  return wanted;
}

}  // namespace muster::controller
