// Makes a ResourceRequest from a job's options, the partition's defaults and the cluster's.
#include "sched/request/request.h"

#include <algorithm>

#include "base/saturating.h"
#include "base/text/strings.h"
#include "model/binding/distribution.h"
#include "sched/request/request_counts.h"

namespace muster::sched {

namespace {

Result<std::vector<NodeId>> node_ids(const Cluster& cluster, std::string_view hostlist) {
  auto ids = cluster.nodes_named(hostlist);
  if (!ids) return ids;
  std::sort(ids->begin(), ids->end());
  ids->erase(std::unique(ids->begin(), ids->end()), ids->end());
  return ids;
}

// DefCpuPerGPU and DefMemPerGPU: the partition's, or else the cluster's.
std::optional<std::uint64_t> job_default(const Partition& partition, std::string_view key,
                                         std::optional<std::uint64_t> otherwise) {
  if (partition.job_defaults.empty()) return otherwise;
  for (std::string_view item : split(partition.job_defaults, ',')) {
    auto equals = item.find('=');
    if (equals == item.npos || !iequals(trim(item.substr(0, equals)), key)) continue;
    return parse_number<std::uint32_t>(trim(item.substr(equals + 1)));
  }
  return otherwise;
}

Result<void> set_gres(const Cluster& cluster, const JobSpec& spec, ResourceRequest& request) {
  const auto& types = cluster.settings().gres_types;
  auto known = [&](const GresRequest& g) {
    return std::find(types.begin(), types.end(), g.name) != types.end();
  };
  struct Option {
    const GpuList& given;
    GresRequests* target;
  };
  for (const Option& option :
       {Option{spec.gpus, &request.gpus_total}, Option{spec.gpus_per_node, &request.gres_per_node},
        Option{spec.gpus_per_task, &request.gpus_per_task},
        Option{spec.gpus_per_socket, &request.gpus_per_socket}}) {
    if (!option.given.parsed()) return fail(ErrorCode::invalid_gres);
    *option.target = *option.given.parsed();
  }
  if (!spec.gres.parsed()) return fail(ErrorCode::invalid_gres);
  for (const GresRequest& g : *spec.gres.parsed()) set_count(request.gres_per_node, g);
  for (auto* list : {&request.gres_per_node, &request.gpus_total, &request.gpus_per_task,
                     &request.gpus_per_socket}) {
    std::erase_if(*list, [](const GresRequest& g) { return g.count == 0; });
    if (!std::ranges::all_of(*list, known)) return fail(ErrorCode::invalid_gres);
  }
  request.cpus_per_gpu = spec.cpus_per_gpu.value_or(0);
  request.enforce_binding = spec.enforce_binding;
  return {};
}

bool counts_memory(const Settings& settings, const Partition& partition) {
  const std::string own = upper(partition.select_type_parameters.view());
  if (own.empty() || own == "NONE") return settings.memory_is_consumable;
  return own.contains("MEMORY");
}

struct DefaultMemory {
  std::optional<std::uint64_t> per_cpu_mib, per_node_mib;
};

// DefMemPerCPU or DefMemPerNode: the partition's, or else the cluster's.
DefaultMemory default_memory(const Settings& s, const Partition& partition) {
  if (partition.default_memory_per_cpu_mib) return {partition.default_memory_per_cpu_mib, {}};
  if (partition.default_memory_per_node_mib) return {{}, partition.default_memory_per_node_mib};
  if (s.default_memory_per_cpu_mib) return {s.default_memory_per_cpu_mib, {}};
  return {{}, s.default_memory_per_node_mib};
}

void set_memory(const Cluster& cluster, const JobSpec& spec, const Partition& partition,
                ResourceRequest& request) {
  const Settings& s = cluster.settings();
  if (spec.memory_per_cpu_mib) {
    request.memory_per_cpu_mib = spec.memory_per_cpu_mib;
  } else if (spec.memory_per_node_mib) {
    request.memory_per_node_mib = spec.memory_per_node_mib;
  } else if (spec.memory_per_gpu_mib) {
    request.memory_per_gpu_mib = spec.memory_per_gpu_mib;
  } else if (auto g = job_default(partition, "DefMemPerGPU", s.default_memory_per_gpu_mib);
             g && asks_for_gpus(request)) {
    request.memory_per_gpu_mib = g;
  } else if (const auto by_default = default_memory(s, partition); by_default.per_cpu_mib) {
    request.memory_per_cpu_mib = by_default.per_cpu_mib;
  } else {
    request.memory_per_node_mib = by_default.per_node_mib.value_or(0);
  }
  if (!counts_memory(s, partition)) {
    request.least_memory_mib =
        request.memory_per_node_mib.value_or(request.memory_per_cpu_mib.value_or(0));
    request.memory_per_node_mib.reset();
    request.memory_per_cpu_mib.reset();
    request.memory_per_gpu_mib.reset();
  }
}

void set_shape(const JobSpec& spec, const Partition& partition, const Settings& settings,
               ResourceRequest& request) {
  request.cpus_per_task = std::max(1u, spec.cpus_per_task.value_or(1));
  request.min_cpus_per_node = spec.min_cpus_per_node.value_or(0);
  request.max_cpus_per_node = partition.max_cpus_per_node.value_or(0);
  if (spec.num_tasks != 1u) request.tasks_per_node = spec.ntasks_per_node.value_or(0);
  request.tasks_per_socket_max = spec.ntasks_per_socket.value_or(0);
  request.tasks_per_core_max = spec.ntasks_per_core.value_or(settings.one_task_per_core ? 1 : 0);
  // select/linear gives whole nodes; the job decides which threads it uses.
  if (!settings.whole_nodes) request.threads_per_core = spec.threads_per_core.value_or(0);
  request.min_threads_per_core = spec.threads_per_core.value_or(0);
  request.min_sockets = spec.sockets_per_node.value_or(0);
  request.min_cores_per_socket = spec.cores_per_socket.value_or(0);
  request.tmp_disk_mib = spec.tmp_disk_mib.value_or(0);
}

// Options that count GPUs of the same type mean the same GPUs. --gpus-per-node overrides the other
// options, and together with --gpus-per-task it gives the number of tasks per node. --gpus-per-task
// and --gpus-per-socket override --gpus.
void reconcile_gpus(ResourceRequest& request) {
  for (const GresRequest& task : request.gpus_per_task)
    for (const GresRequest& node : request.gres_per_node)
      if (node.is_kind_of(task) && request.tasks_per_node == 0)
        request.tasks_per_node = saturated_32(node.count / task.count);
  for (auto* list : {&request.gpus_per_task, &request.gpus_per_socket, &request.gpus_total})
    drop_kinds_of(request.gres_per_node, *list);
  drop_kinds_of(request.gpus_per_task, request.gpus_total);
  drop_kinds_of(request.gpus_per_socket, request.gpus_total);
}

bool spreads_over_sockets(const JobSpec& spec, const Settings& settings) {
  auto how = spec.distribution.empty() ? std::nullopt : parse_distribution(spec.distribution);
  if (how && how->kind == Distribution::Kind::plane) return false;
  if (how && how->sockets != Distribution::Inner::unset)
    return how->sockets != Distribution::Inner::block;
  return !settings.cores_in_blocks;
}

// SelectTypeParameters of the partition, or else the cluster's.
ResourceRequest::Unit unit_in(const Settings& settings, const Partition& partition) {
  const std::string own = upper(partition.select_type_parameters.view());
  if (own.contains("CR_SOCKET")) return ResourceRequest::Unit::socket;
  if (own.contains("CR_CORE")) return ResourceRequest::Unit::core;
  if (settings.whole_sockets) return ResourceRequest::Unit::socket;
  return settings.use_core_granularity ? ResourceRequest::Unit::core : ResourceRequest::Unit::cpu;
}

// -m arbitrary: the node list has one name for each task.
Result<void> set_tasks_by_node(const Cluster& cluster, const JobSpec& spec,
                               ResourceRequest& request) {
  auto how = parse_distribution(spec.distribution.view());
  if (!how || how->kind != Distribution::Kind::arbitrary || spec.required_nodes.empty()) return {};
  auto named = cluster.nodes_named(spec.required_nodes);
  if (!named) return std::unexpected(named.error());
  for (NodeId id : request.required_nodes)
    request.tasks_on_required.push_back(static_cast<std::uint32_t>(std::ranges::count(*named, id)));
  return {};
}

bool is_serial(const ResourceRequest& request) {
  return request.max_nodes == 1 && request.tasks == 1 && request.cpus_per_task == 1 &&
         request.min_cpus_per_node <= 1;
}

}  // namespace

bool asks_for_gpus(const ResourceRequest& request) {
  return !request.gpus_total.empty() || !request.gpus_per_task.empty() ||
         !request.gpus_per_socket.empty() ||
         std::ranges::any_of(request.gres_per_node,
                             [](const GresRequest& g) { return g.name == "gpu"; });
}

std::uint64_t whole_node_mib(const Cluster& cluster, const Job& job) {
  const JobSpec& spec = *job.spec;
  if (spec.memory_per_node_mib.value_or(0) > 0 || spec.memory_per_cpu_mib ||
      spec.memory_per_gpu_mib)
    return 0;
  const Partition* partition = cluster.partition_of(job);
  if (!partition || partition->nodes.empty() || !counts_memory(cluster.settings(), *partition))
    return 0;
  const Node* first = cluster.nodes.find(partition->nodes.front());
  return first ? first->config.memory_mib : 0;
}

Result<ResourceRequest> make_request(const Cluster& cluster, const JobSpec& spec,
                                     const Partition& partition) {
  ResourceRequest request;
  auto required = node_ids(cluster, spec.required_nodes);
  if (!required) return std::unexpected(required.error());
  auto excluded = node_ids(cluster, spec.excluded_nodes);
  if (!excluded) return std::unexpected(excluded.error());
  for (NodeId id : *required)
    if (std::ranges::binary_search(*excluded, id)) return fail(ErrorCode::invalid_node_name);
  request.required_nodes = std::move(*required);
  request.excluded_nodes = std::move(*excluded);
  if (auto ok = check_features(cluster, spec.features); !ok) return std::unexpected(ok.error());
  request.constraint = constraint_in(spec.features);
  if (!check_features(cluster, spec.prefer)) return fail(ErrorCode::invalid_prefer);
  request.preferred = constraint_in(spec.prefer);
  if (auto ok = check_licenses(cluster, spec.licenses); !ok) return std::unexpected(ok.error());
  request.licenses = licenses_in(spec.licenses);
  if (auto ok = set_gres(cluster, spec, request); !ok) return std::unexpected(ok.error());
  if (!spec.cpus_per_gpu && !spec.cpus_per_task)
    request.cpus_per_gpu = static_cast<std::uint32_t>(
        job_default(partition, "DefCpuPerGPU", cluster.settings().default_cpus_per_gpu)
            .value_or(0));
  set_memory(cluster, spec, partition, request);
  set_shape(spec, partition, cluster.settings(), request);
  reconcile_gpus(request);
  request.unit = unit_in(cluster.settings(), partition);
  request.cores_over_sockets =
      request.unit != ResourceRequest::Unit::cpu && spreads_over_sockets(spec, cluster.settings());
  if (auto ok = set_counts(spec, partition, request); !ok) return std::unexpected(ok.error());
  if (auto ok = set_tasks_by_node(cluster, spec, request); !ok) return std::unexpected(ok.error());
  request.tasks_on_node_max = cluster.settings().request_limits.tasks_per_node;
  if (request.tasks_per_node > request.tasks_on_node_max ||
      request.tasks > std::uint64_t{request.tasks_on_node_max} * request.max_nodes)
    return fail(ErrorCode::bad_task_count);
  // Without GPUs, memory per GPU would come to no memory at all.
  if (spec.memory_per_gpu_mib && !asks_for_gpus(request)) return fail(ErrorCode::invalid_gres);
  request.spread = spec.spread_job;
  request.sharing = partition.sharing(spec.oversubscribe);
  request.exclusive = has_nodes_alone(cluster, spec, partition);
  request.all_devices = has_all_devices(cluster, spec, partition);
  if (spec.core_spec || spec.thread_spec) request.spec_cores = spec.core_spec;
  request.whole_nodes = request.exclusive || cluster.settings().whole_nodes;
  request.first_nodes = cluster.settings().whole_nodes;
  request.last_node = cluster.settings().serial_at_end && is_serial(request);
  request.switches_max = spec.switches;
  request.user = spec.uid;
  request.exclusive_user = spec.exclusive_user || partition.exclusive_user;
  request.contiguous = spec.contiguous;
  request.overcommit = spec.overcommit;
  if (spec.warn_signal.yields_to_reservation)
    request.yields_within = Seconds{spec.warn_signal.seconds_before_end};
  request.least_loaded = partition.lln || cluster.settings().least_loaded;
  return request;
}

bool has_nodes_alone(const Cluster& cluster, const JobSpec& spec, const Partition& partition) {
  const Settings& settings = cluster.settings();
  return spec.exclusive || iequals(partition.oversubscribe, "EXCLUSIVE") ||
         (settings.whole_nodes && partition.sharing(spec.oversubscribe) == 1) || spec.reboot ||
         spec.core_spec || spec.thread_spec;
}

bool has_all_devices(const Cluster& cluster, const JobSpec& spec, const Partition& partition) {
  return !cluster.settings().whole_nodes && has_nodes_alone(cluster, spec, partition);
}

Result<void> check_licenses(const Cluster& cluster, const LicenseList& list) {
  if (!list.parsed()) return fail(list.parsed().error());
  const Settings& settings = cluster.settings();
  for (const auto& [name, count] : *list.parsed()) {
    auto known = std::ranges::find(settings.licenses, name, &Licenses::value_type::first);
    if (known == settings.licenses.end() ||
        (count > known->second && !settings.allow_zero_licenses))  // it may wait for more
      return fail(ErrorCode::invalid_license);
  }
  return {};
}

}  // namespace muster::sched
