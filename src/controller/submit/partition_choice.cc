// Checks a job against the rules of its partitions.
#include "controller/submit/partition_choice.h"

#include <algorithm>

#include "base/saturating.h"
#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "sched/limits/permission.h"
#include "sched/request/memory_rule.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

bool lists_host(const Text& hosts, const Text& name) {
  bool found = false;
  auto parsed = each_host(hosts.view(), [&](std::string_view host) {
    found = name == host;
    return !found;
  });
  return parsed && found;
}

bool restricts(const Text& allowed) { return !allowed.empty() && !iequals(allowed, "ALL"); }

}  // namespace

bool admits_groups(const Partition& partition, const std::vector<std::string>& groups) {
  return !restricts(partition.allow_groups) ||
         std::ranges::any_of(groups, [&](const std::string& group) {
           return sched::lists_name(partition.allow_groups, group);
         });
}

Result<void> admits(const Partition& p, const Submitter& who) {
  if (p.root_only && !who.is_operator) return fail(ErrorCode::access_denied);
  if (p.disable_root_jobs && who.user == Uid{0}) return fail(ErrorCode::user_id_missing);
  if (p.req_resv && !who.reserved) return fail(ErrorCode::access_denied);
  if (restricts(p.allow_alloc_nodes) && !lists_host(p.allow_alloc_nodes, who.host))
    return fail(ErrorCode::access_denied);
  if (p.is_closed()) return fail(ErrorCode::partition_unavailable);
  if (!who.is_operator && !admits_groups(p, who.groups))
    return fail(ErrorCode::job_missing_required_group);
  if (!sched::admits_account(p, who.account)) return fail(ErrorCode::invalid_account);
  if (!sched::admits_qos(p, who.qos)) return fail(ErrorCode::invalid_qos);
  return {};
}

void add_cpus_for_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec) {
  const auto most = sched::memory_limit(cluster, partition).per_cpu_mib;
  if (!most) return;
  // A number of CPUs that no node has is refused later, with its own reason.
  auto times_more = [&](std::uint64_t mib) {
    return saturated_32(ceil_divide(mib, std::max<std::uint64_t>(1, *most)));
  };
  if (spec.memory_per_cpu_mib > most) {
    const std::uint32_t cpus = times_more(*spec.memory_per_cpu_mib);
    spec.cpus_per_task = saturated_32(std::uint64_t{spec.cpus_per_task.value_or(1)} * cpus);
    spec.memory_per_cpu_mib = ceil_divide(*spec.memory_per_cpu_mib, cpus);
  } else if (spec.memory_per_node_mib > most) {
    spec.min_cpus_per_node =
        std::max(spec.min_cpus_per_node.value_or(1), times_more(*spec.memory_per_node_mib));
  }
}

void give_default_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec) {
  if (spec.memory_per_cpu_mib || spec.memory_per_node_mib || spec.memory_per_gpu_mib) return;
  auto request = sched::make_request(cluster, spec, partition);
  if (!request) return;  // it is refused, with its reason, when the partition is chosen
  spec.memory_per_cpu_mib = request->memory_per_cpu_mib;
  if (request->memory_per_node_mib > 0u) spec.memory_per_node_mib = request->memory_per_node_mib;
}

ErrorCode obstacle(const Cluster& cluster, const Job& job) {
  const Partition* partition = cluster.partition_of(job);
  if (!partition) return ErrorCode::no_error;
  if (partition->state == PartitionState::down) return ErrorCode::partition_down;
  auto in_service = [&](NodeId id) {
    const Node* node = cluster.nodes.find(id);
    return node && is_available(*node);
  };
  const auto named = cluster.nodes_named(job.spec->required_nodes);
  const bool has_named = !named || std::ranges::all_of(*named, in_service);
  const auto usable = std::ranges::count_if(partition->nodes, in_service);
  if (has_named && usable >= std::max(1u, job.spec->min_nodes)) return ErrorCode::no_error;
  return ErrorCode::node_unavailable;
}

bool asks_more_cpus_than(const Cluster& cluster, const Partition& p, const JobSpec& spec) {
  std::uint64_t all = 0;
  for (NodeId id : p.nodes)
    if (const Node* node = cluster.nodes.find(id)) all += node->config.cpus;
  const std::uint64_t tasks = spec.overcommit ? 1 : spec.num_tasks.value_or(1);
  return all > 0 &&
         std::max<std::uint64_t>(spec.min_nodes, tasks * spec.cpus_per_task.value_or(1)) > all;
}

Result<void> within_limits(const Partition& p, const JobSpec& spec, Minutes time_limit) {
  if (p.max_time && std::min(time_limit, spec.time_min.value_or(time_limit)) > *p.max_time)
    return fail(ErrorCode::invalid_time_limit);
  std::uint32_t most = std::max(spec.min_nodes, spec.max_nodes);
  if ((p.max_nodes && spec.min_nodes > *p.max_nodes) || spec.min_nodes > p.nodes.size() ||
      (spec.nodes_given && most < p.min_nodes))
    return fail(ErrorCode::invalid_node_count);
  return {};
}

}  // namespace muster::controller
