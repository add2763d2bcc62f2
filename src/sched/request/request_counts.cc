// Works out the number of nodes and tasks from -N, -n, --ntasks-per-*, --gpus and counted features.
#include "sched/request/request_counts.h"

#include <algorithm>

#include "base/saturating.h"

namespace muster::sched {

namespace {

std::uint32_t times(std::uint32_t a, std::uint32_t b) { return saturated_32(std::uint64_t{a} * b); }

// --ntasks-per-gpu: the number of tasks follows from the GPUs, or the number of GPUs from the
// tasks.
void tie_tasks_to_gpus(const JobSpec& spec, ResourceRequest& request) {
  std::uint32_t per_gpu = spec.ntasks_per_gpu.value_or(0);
  if (per_gpu == 0) return;
  request.tasks_per_gpu = per_gpu;
  std::uint64_t gpus = sum_of(request.gpus_total);
  for (const GresRequest& g : request.gres_per_node)
    if (g.name == "gpu")
      gpus = saturating_add(gpus, saturating_multiply(g.count, request.min_nodes));
  if (gpus == 0 && spec.num_tasks)
    request.gpus_total = {{"gpu", {}, ceil_divide(*spec.num_tasks, per_gpu)}};
  if (gpus != 0 && !spec.num_tasks) {
    request.tasks = saturated_32(saturating_multiply(gpus, per_gpu));
    request.tasks_follow_nodes = false;
  }
}

// What the options say. If none of them gives a number of tasks, each node has one.
void count_nodes_and_tasks(const JobSpec& spec, ResourceRequest& request) {
  request.min_nodes = std::max(1u, spec.min_nodes);
  request.max_nodes = spec.max_nodes;
  if (request.required_nodes.size() > request.min_nodes)
    request.min_nodes = static_cast<std::uint32_t>(request.required_nodes.size());
  if (spec.num_tasks) {
    request.tasks = std::max(1u, *spec.num_tasks);
    if (const std::uint32_t each = request.tasks_per_node; each && !spec.nodes_given) {
      request.min_nodes =
          std::max(request.min_nodes, saturated_32(ceil_divide(request.tasks, each)));
      request.nodes_follow_tasks = true;
    }
    if (!spec.nodes_given && request.max_nodes == 0) request.max_nodes = request.tasks;
  } else {
    request.tasks_follow_nodes = true;
    request.tasks = request.min_nodes;
  }
  if (request.tasks_per_node)
    request.tasks = std::max(request.tasks, times(request.min_nodes, request.tasks_per_node));
  tie_tasks_to_gpus(spec, request);
  if (request.max_nodes == 0 && spec.nodes_given) request.max_nodes = request.min_nodes;
  // GPUs counted over the whole job may need more nodes than the tasks do.
  if (const std::uint64_t gpus = sum_of(request.gpus_total); !spec.nodes_given && gpus > 0)
    request.max_nodes =
        std::max(request.max_nodes, saturated_32(std::min<std::uint64_t>(
                                        gpus, request.tasks_follow_nodes ? gpus : request.tasks)));
  request.max_nodes = std::max(request.max_nodes, request.min_nodes);
}

// MinNodes of the partition, for a job without -N.
void raise_nodes_to(std::uint32_t least, ResourceRequest& request) {
  if (least <= request.min_nodes) return;
  request.min_nodes = least;
  request.max_nodes = std::max(request.max_nodes, least);
  request.tasks = std::max(request.tasks, times(least, std::max(1u, request.tasks_per_node)));
}

// "[a*2&b*1]" needs at least three nodes, with a task on each.
Result<void> count_nodes_with_features(const JobSpec& spec, ResourceRequest& request) {
  std::uint64_t counted = 0;
  for (const FeatureCount& c : request.constraint.counts)
    counted = saturating_add(counted, c.nodes);
  if (counted <= request.min_nodes) return {};
  if (spec.nodes_given && counted > request.max_nodes)
    return fail(ErrorCode::requested_node_config_unavailable);
  request.min_nodes = saturated_32(counted);
  request.max_nodes = std::max(request.max_nodes, request.min_nodes);
  request.tasks =
      std::max(request.tasks, times(request.min_nodes, std::max(1u, request.tasks_per_node)));
  return {};
}

// From a range such as -N2-8, the job wants as many nodes as it has tasks for.
void set_wanted_nodes(const JobSpec& spec, ResourceRequest& request) {
  const bool is_range = spec.nodes_given && request.max_nodes > request.min_nodes;
  // Jobs with --gpus are packed on few nodes instead.
  request.as_many_nodes = !spec.use_min_nodes && request.constraint.counts.empty() &&
                          request.gpus_total.empty() && (spec.spread_job || is_range);
  std::uint32_t tasks = request.tasks;
  if (spec.num_tasks) tasks = *spec.num_tasks;
  if (request.tasks_follow_nodes && !request.tasks_per_node) tasks = request.max_nodes;
  request.wanted_nodes = std::clamp(tasks, request.min_nodes, request.max_nodes);
}

}  // namespace

Result<void> set_counts(const JobSpec& spec, const Partition& partition, ResourceRequest& request) {
  count_nodes_and_tasks(spec, request);
  if (!spec.nodes_given) raise_nodes_to(partition.min_nodes, request);
  if (auto ok = count_nodes_with_features(spec, request); !ok) return ok;
  if (partition.max_nodes)
    request.max_nodes =
        std::max(request.min_nodes, std::min(request.max_nodes, *partition.max_nodes));
  set_wanted_nodes(spec, request);
  return {};
}

}  // namespace muster::sched
