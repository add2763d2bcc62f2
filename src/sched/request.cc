#include "sched/request.h"

#include <algorithm>

#include "base/hostlist.h"
#include "base/strings.h"

namespace muster::sched {

namespace {

Result<std::vector<NodeId>> node_ids(const Cluster& cluster, std::string_view hostlist) {
  std::vector<NodeId> ids;
  if (hostlist.empty()) return ids;
  auto names = expand_hostlist(hostlist);
  if (!names) return fail(ErrorCode::invalid_node_name);
  for (const std::string& name : *names) {
    const Node* node = cluster.find_node(name);
    if (!node) return fail(ErrorCode::invalid_node_name);
    ids.push_back(node->id);
  }
  std::sort(ids.begin(), ids.end());
  ids.erase(std::unique(ids.begin(), ids.end()), ids.end());
  return ids;
}

bool feature_exists(const Cluster& cluster, const Text& feature) {
  bool found = false;
  cluster.nodes.each([&](const Node& node) {
    const auto& have = node.config.features;
    found = found || std::find(have.begin(), have.end(), feature) != have.end();
  });
  return found;
}

// "a", "a&b", "a|b"; counts, brackets and parentheses are not placed yet.
Result<void> parse_features(const Cluster& cluster, std::string_view text, Request& request) {
  if (text.empty()) return {};
  if (text.find_first_of("[]()*") != text.npos)
    return fail(ErrorCode::not_supported_yet, "--constraint with [], () or *");
  for (std::string_view part : split(text, '&')) {
    std::vector<Text> any;
    for (std::string_view name : split(part, '|')) {
      name = trim(name);
      if (name.empty() || !feature_exists(cluster, name)) return fail(ErrorCode::invalid_feature);
      any.emplace_back(name);
    }
    if (any.size() == 1)
      request.features_all.push_back(any.front());
    else
      request.features_any.push_back(std::move(any));
  }
  return {};
}

Result<void> parse_gres_options(const Cluster& cluster, const JobSpec& spec, Request& request) {
  const auto& types = cluster.settings().gres_types;
  auto known = [&](const GresRequest& g) {
    return std::find(types.begin(), types.end(), g.name) != types.end();
  };
  if (!spec.gres.empty()) {
    auto list = parse_gres(spec.gres);
    if (!list) return fail(ErrorCode::invalid_gres);
    request.gres_per_node = std::move(*list);
  }
  struct Option {
    const Text& text;
    std::optional<GresRequest>* target;
  };
  std::optional<GresRequest> per_node;
  for (const Option& option :
       {Option{spec.gpus, &request.gpus_total}, Option{spec.gpus_per_node, &per_node},
        Option{spec.gpus_per_task, &request.gpus_per_task}}) {
    if (option.text.empty()) continue;
    auto parsed = parse_gpus(option.text);
    if (!parsed) return fail(ErrorCode::invalid_gres);
    if (!known(*parsed)) return fail(ErrorCode::invalid_gres);
    *option.target = *parsed;
  }
  if (per_node) request.gres_per_node.push_back(*per_node);
  for (const GresRequest& g : request.gres_per_node)
    if (!known(g)) return fail(ErrorCode::invalid_gres);
  std::erase_if(request.gres_per_node, [](const GresRequest& g) { return g.count == 0; });
  return {};
}

void set_memory(const Cluster& cluster, const JobSpec& spec, const Partition& partition,
                Request& request) {
  const Settings& s = cluster.settings();
  if (spec.memory_per_cpu_mib) {
    request.memory_per_cpu_mib = spec.memory_per_cpu_mib;
  } else if (spec.memory_per_node_mib) {
    request.memory_per_node_mib = spec.memory_per_node_mib;
  } else if (spec.memory_per_gpu_mib) {
    request.memory_per_gpu_mib = spec.memory_per_gpu_mib;
  } else if (auto m = partition.default_memory_per_cpu_mib) {
    request.memory_per_cpu_mib = m;
  } else if (auto n = partition.default_memory_per_node_mib) {
    request.memory_per_node_mib = n;
  } else if (s.default_memory_per_cpu_mib) {
    request.memory_per_cpu_mib = s.default_memory_per_cpu_mib;
  } else {
    request.memory_per_node_mib = s.default_memory_per_node_mib.value_or(0);
  }
  if (!s.memory_is_consumable) {
    request.memory_per_node_mib.reset();
    request.memory_per_cpu_mib.reset();
    request.memory_per_gpu_mib.reset();
  }
}

void set_counts(const JobSpec& spec, Request& request) {
  request.min_nodes = std::max(1u, spec.min_nodes);
  request.max_nodes = spec.max_nodes;
  if (request.required_nodes.size() > request.min_nodes)
    request.min_nodes = static_cast<std::uint32_t>(request.required_nodes.size());
  request.cpus_per_task = std::max(1u, spec.cpus_per_task.value_or(1));
  request.min_cpus_per_node = spec.min_cpus_per_node.value_or(0);
  request.tasks_per_node_max = spec.ntasks_per_node.value_or(0);
  if (spec.num_tasks) {
    request.tasks = std::max(1u, *spec.num_tasks);
    if (request.tasks_per_node_max)
      request.min_nodes =
          std::max(request.min_nodes,
                   (request.tasks + request.tasks_per_node_max - 1) / request.tasks_per_node_max);
    if (!spec.nodes_given && request.max_nodes == 0) request.max_nodes = request.tasks;
  } else {
    request.tasks_follow_nodes = true;
    request.tasks = request.min_nodes * std::max(1u, request.tasks_per_node_max);
  }
  if (request.max_nodes == 0 && spec.nodes_given) request.max_nodes = request.min_nodes;
  request.max_nodes = std::max(request.max_nodes, request.min_nodes);
}

}  // namespace

Result<Request> make_request(const Cluster& cluster, const JobSpec& spec,
                             const Partition& partition) {
  Request request;
  auto required = node_ids(cluster, spec.required_nodes);
  if (!required) return std::unexpected(required.error());
  auto excluded = node_ids(cluster, spec.excluded_nodes);
  if (!excluded) return std::unexpected(excluded.error());
  request.required_nodes = std::move(*required);
  request.excluded_nodes = std::move(*excluded);
  if (auto ok = parse_features(cluster, spec.features, request); !ok)
    return std::unexpected(ok.error());
  if (auto ok = parse_gres_options(cluster, spec, request); !ok) return std::unexpected(ok.error());
  set_memory(cluster, spec, partition, request);
  set_counts(spec, request);
  if (partition.max_nodes)
    request.max_nodes =
        std::max(request.min_nodes, std::min(request.max_nodes, *partition.max_nodes));
  request.exclusive = spec.exclusive || cluster.settings().whole_nodes ||
                      iequals(partition.oversubscribe, "EXCLUSIVE");
  request.contiguous = spec.contiguous;
  request.overcommit = spec.overcommit;
  return request;
}

}  // namespace muster::sched
