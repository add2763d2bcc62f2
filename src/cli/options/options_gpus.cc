// Derives numbers of tasks and nodes from options that count GPUs, and finds contradictions.
#include "cli/options/options_gpus.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "cli/options/options.h"
#include "model/node/resources.h"

namespace muster::cli {

namespace {

// How many GPUs of one type each option asks for; 0 = the option is not given.
struct GpuCounts {
  std::uint64_t total = 0, per_node = 0, per_socket = 0, per_task = 0;
};
struct TypeCounts {
  Text type;
  GpuCounts counts;
};

// In the order in which the types are named. Malformed text counts as not given.
std::vector<TypeCounts> counts_by_type(const JobSpec& spec) {
  std::vector<TypeCounts> types;
  auto add = [&](const Result<std::vector<GresRequest>>& list, std::uint64_t GpuCounts::* count) {
    if (!list) return;
    for (const GresRequest& g : *list) {
      if (g.name != "gpu") continue;
      auto same = std::ranges::find(types, g.type, &TypeCounts::type);
      if (same == types.end()) same = types.insert(types.end(), {g.type, {}});
      same->counts.*count = g.count;  // if a type is named twice, the last count applies
    }
  };
  add(parse_gpus(spec.gpus), &GpuCounts::total);
  add(parse_gpus(spec.gpus_per_node), &GpuCounts::per_node);
  add(parse_gres(spec.gres), &GpuCounts::per_node);
  add(parse_gpus(spec.gpus_per_socket), &GpuCounts::per_socket);
  add(parse_gpus(spec.gpus_per_task), &GpuCounts::per_task);
  return types;
}

bool asks_gpus(const JobSpec& spec) {
  for (const Text* gpus :
       {&spec.gpus, &spec.gpus_per_node, &spec.gpus_per_task, &spec.gpus_per_socket})
    if (!gpus->empty()) return true;
  auto gres = parse_gres(spec.gres);
  return !gres || std::ranges::any_of(*gres, [](const GresRequest& g) { return g.name == "gpu"; });
}

// Whether it asks for shares of GPUs, which cannot be combined with whole GPUs.
bool asks_shares(const JobSpec& spec) {
  auto gres = parse_gres(spec.gres);
  return gres && std::ranges::any_of(
                     *gres, [](const GresRequest& g) { return is_part_of_gpus(g.name.view()); });
}

// Both with and without a type, as in "gpu:v100:1,gpu:1": the second one might be a v100 too.
bool mixes_types(const JobSpec& spec) {
  std::map<Text, std::pair<bool, bool>> said;  // without a type, with one
  if (auto gres = parse_gres(spec.gres))
    for (const GresRequest& g : *gres)
      (g.type.empty() ? said[g.name].first : said[g.name].second) = true;
  for (const TypeCounts& of : counts_by_type(spec))
    (of.type.empty() ? said["gpu"].first : said["gpu"].second) = true;
  return std::ranges::any_of(said,
                             [](const auto& of) { return of.second.first && of.second.second; });
}

Outcome bad_gres(const JobOptions& o, std::string_view why) {
  return refused(o, fmt::format("{}\nInvalid generic resource (gres) specification", why),
                 kExitFailure);
}

// The number of tasks by -n or equivalent options; 0 = not given.
std::uint32_t tasks_said(const JobSpec& spec) {
  if (spec.num_tasks) return *spec.num_tasks;
  if (spec.ntasks_per_node) return std::max(1u, spec.min_nodes) * *spec.ntasks_per_node;
  return spec.nodes_given && spec.min_nodes == spec.max_nodes ? spec.min_nodes : 0;
}

Outcome check_gpus_per_task(JobOptions& o, const GpuCounts& gpus) {
  JobRequest& spec = o.spec;
  const std::uint32_t tasks = tasks_said(spec);
  if (gpus.per_task == 0) return {};
  if (tasks == 0 && gpus.total == 0)
    return bad_gres(o,
                    "Failed to validate job spec. --gpus-per-task used without either --gpus or "
                    "-n/--ntasks is not allowed.");
  if (o.job_id) return {};
  if (gpus.per_node % gpus.per_task != 0)
    return bad_gres(o,
                    "Failed to validate job spec, --gres=gpu/--gpus-per-node not multiple of "
                    "--gpus-per-task.");
  if (gpus.per_node && spec.ntasks_per_node &&
      gpus.per_node / gpus.per_task != *spec.ntasks_per_node)
    return bad_gres(o,
                    "Failed to validate job spec. Based on --gres=gpu/--gpus-per-node and "
                    "--gpus-per-task requested number of tasks per node differ from "
                    "--ntasks-per-node.");
  if (gpus.total % gpus.per_task != 0)
    return bad_gres(o, "Failed to validate job spec, --gpus not multiple of --gpus-per-task");
  if (gpus.total && tasks && gpus.total / gpus.per_task != tasks)
    return bad_gres(o,
                    "Failed to validate job spec. Based on --gpus and --gpus-per-task number of "
                    "requested tasks differ from -n/--ntasks.");
  if (!spec.num_tasks && !spec.ntasks_per_node)
    spec.num_tasks = tasks ? tasks : static_cast<std::uint32_t>(gpus.total / gpus.per_task);
  return {};
}

// GPUs per job and per node (or per socket) determine the number of nodes.
Outcome check_gpus_per_node(JobOptions& o, GpuCounts gpus) {
  JobRequest& spec = o.spec;
  if ((gpus.total && gpus.total < std::max(gpus.per_node, gpus.per_socket)) ||
      (gpus.per_node && gpus.per_node < gpus.per_socket))
    return bad_gres(o,
                    "Failed to ensure --gpus >= --gres=gpu/--gpus-per-node >= --gpus-per-socket");
  if (gpus.per_socket && gpus.per_node % gpus.per_socket != 0)
    return bad_gres(o,
                    "Failed to validate job spec, --gres=gpu/--gpus-per-node not multiple of "
                    "--gpus-per-socket.");
  if (gpus.per_socket && gpus.per_node &&
      gpus.per_node / gpus.per_socket != spec.sockets_per_node.value_or(1))
    return bad_gres(o,
                    "Failed to validate job spec. Based on --gres=gpu/--gpus-per-node and "
                    "--gpus-per-socket required number of sockets differ from --sockets-per-node.");
  if (gpus.total && spec.nodes_given && gpus.total < spec.min_nodes)
    return bad_gres(o, "Failed to validate job spec, --gpus < -N");
  if (gpus.per_node == 0) gpus.per_node = gpus.per_socket * spec.sockets_per_node.value_or(1);
  if (gpus.total == 0 || gpus.per_node == 0) return {};
  if (gpus.total % gpus.per_node != 0)
    return bad_gres(o,
                    "Failed to validate job spec, --gpus is not multiple of "
                    "--gres=gpu/--gpus-per-node");
  const auto nodes = static_cast<std::uint32_t>(gpus.total / gpus.per_node);
  const std::uint32_t most = std::max(spec.min_nodes, spec.max_nodes);
  if (spec.nodes_given && (nodes < spec.min_nodes || nodes > most))
    return bad_gres(
        o, fmt::format("Failed to validate job spec. Based on --gpu and --gres=gpu/--gpus-per-node "
                       "required nodes ({}) doesn't fall between min_nodes ({}) and max_nodes ({}) "
                       "boundaries.",
                       nodes, spec.min_nodes, most));
  spec.min_nodes = spec.max_nodes = nodes;
  spec.nodes_given = true;
  return {};
}

Outcome check_memory_per_gpu(JobOptions& o) {
  const JobRequest& spec = o.spec;
  if (!spec.memory_per_gpu_mib || o.job_id || asks_gpus(spec)) return {};
  return bad_gres(o, fmt::format("Requested mem_per_tres=gres:gpu:{} but did not request any GPU.",
                                 *spec.memory_per_gpu_mib));
}

// Tasks per GPU and GPUs of the job determine each other's number.
Outcome check_tasks_per_gpu(JobOptions& o) {
  JobRequest& spec = o.spec;
  if (!spec.ntasks_per_gpu) return {};
  auto both = [&](std::string_view option) {
    return std::unexpected(
        Refusal{fatal_line(client_name(o.client),
                           fmt::format("{} is mutually exclusive with --ntasks-per-gpu and "
                                       "SLURM_NTASKS_PER_GPU",
                                       option)),
                kExitFailure});
  };
  if (!spec.gpus_per_task.empty()) return both("--gpus-per-task");
  if (!spec.gpus_per_socket.empty()) return both("--gpus-per-socket");
  if (o.is_said("ntasks-per-node")) return both("--ntasks-per-node");
  if (o.task.gpu_bind.empty()) o.task.gpu_bind = fmt::format("single:{}", *spec.ntasks_per_gpu);
  if (o.job_id) return {};  // a step uses the counts of its job
  if (!asks_gpus(spec)) {
    if (!spec.num_tasks)
      return bad_gres(o,
                      "gres_job_state_validate: --ntasks-per-tres needs either a GRES GPU "
                      "specification or a node/ntask specification");
    spec.gpus = std::to_string((*spec.num_tasks + *spec.ntasks_per_gpu - 1) / *spec.ntasks_per_gpu);
    return {};
  }
  GpuCounts gpus;  // of all types
  for (const auto& [type, counts] : counts_by_type(spec)) {
    gpus.total += counts.total;
    gpus.per_node += counts.per_node;
  }
  const bool is_range = spec.nodes_given && spec.min_nodes != spec.max_nodes;
  const std::uint64_t all =
      gpus.total || is_range ? gpus.total : gpus.per_node * std::max(1u, spec.min_nodes);
  if (all) spec.num_tasks = static_cast<std::uint32_t>(all) * *spec.ntasks_per_gpu;
  // No further nodes, because they would bring further GPUs.
  if (all && !gpus.total && !spec.nodes_given) spec.max_nodes = spec.min_nodes;
  return {};
}

}  // namespace

Outcome check_gpus(JobOptions& o) {
  const JobRequest& spec = o.spec;
  if (spec.cpus_per_gpu && spec.cpus_per_task && !o.job_id)
    return bad_gres(o, "--cpus-per-gpu is mutually exclusive with --cpus-per-task");
  if (auto done = check_tasks_per_gpu(o); !done) return done;
  for (const Text* option :
       {&spec.gpus, &spec.gpus_per_node, &spec.gpus_per_task, &spec.gpus_per_socket})
    if (!parse_gpus(*option))
      return refused(o, "Invalid generic resource (gres) specification", kExitFailure);
  for (const auto& [type, counts] : counts_by_type(spec))
    if (auto done = check_gpus_per_task(o, counts); !done) return done;
  if (o.job_id) return {};
  if (mixes_types(spec))
    return refused(o, "Invalid GRES specification (with and without type identification)",
                   kExitFailure);
  if (asks_shares(spec) && (asks_gpus(spec) || spec.cpus_per_gpu))
    return refused(o, "Invalid generic resource (gres) specification", kExitFailure);
  if (!spec.gpus_per_socket.empty() && !spec.sockets_per_node)
    return bad_gres(o, "--gpus-per-socket option requires --sockets-per-node specification");
  for (const auto& [type, counts] : counts_by_type(spec))
    if (auto done = check_gpus_per_node(o, counts); !done) return done;
  return check_memory_per_gpu(o);
}

}  // namespace muster::cli
