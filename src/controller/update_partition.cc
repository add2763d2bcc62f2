// scontrol update, create and delete partition.
#include <algorithm>

#include "base/duration.h"
#include "base/hostlist.h"
#include "base/size.h"
#include "controller/core.h"
#include "controller/membership.h"
#include "controller/settings_list.h"

namespace muster::controller {

namespace {

Result<void> set_nodes(const Cluster& cluster, Partition& p, std::string_view value) {
  p.nodes.clear();
  p.nodes_text = Text(value);
  if (iequals(value, "ALL")) {
    p.nodes = *cluster.node_order;
    return {};
  }
  auto names = expand_hostlist(value);
  if (!names) return fail(ErrorCode::invalid_node_name);
  for (const std::string& name : *names) {
    const Node* node = cluster.find_node(name);
    if (!node) return fail(ErrorCode::invalid_node_name);
    p.nodes.push_back(node->id);
  }
  return {};
}

Result<void> set_limit(std::optional<Minutes>& target, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit && !iequals(value, "NONE")) return fail(ErrorCode::invalid_time_limit);
  target.reset();
  if (limit && *limit != kUnlimited) target = *limit;
  return {};
}

Result<void> set_oversubscribe(Partition& p, std::string_view value) {
  auto parsed = parse_oversubscribe(value);
  if (!parsed)
    return fail(ErrorCode::failure, "OverSubscribe is NO, EXCLUSIVE, YES[:count] or FORCE[:count]");
  p.oversubscribe = parsed->text();
  return {};
}

Result<void> set_preempt_mode(Partition& p, std::string_view value) {
  if (!parse_preempt_mode(value)) return fail(ErrorCode::failure, "Invalid preempt mode");
  p.preempt_mode = Text(upper(value));
  return {};
}

Result<void> set_qos(const Cluster& cluster, Partition& p, std::string_view value) {
  if (!value.empty())
    if (auto ok = is_known_qos(cluster, value); !ok) return ok;
  p.qos = Text(value);
  return {};
}

// A state by its name or the beginning of that.
Result<void> set_state(Partition& p, std::string_view value) {
  constexpr std::pair<std::string_view, PartitionState> kStates[] = {
      {"up", PartitionState::up},
      {"down", PartitionState::down},
      {"drain", PartitionState::drain},
      {"inactive", PartitionState::inactive}};
  auto at = std::ranges::find_if(
      kStates, [&](const auto& state) { return istarts_with(state.first, value); });
  if (value.size() < 2 || at == std::end(kStates))
    return fail(ErrorCode::failure, "Invalid partition state");
  p.state = at->second;
  return {};
}

Result<void> set_key(const Cluster& cluster, Partition& p, std::string_view key,
                     std::string_view value) {
  if (iequals(key, "Nodes")) return set_nodes(cluster, p, value);
  if (iequals(key, "State")) return set_state(p, value);
  if (iequals(key, "MaxTime")) return set_limit(p.max_time, value);
  if (iequals(key, "DefaultTime") || iequals(key, "DefTime"))
    return set_limit(p.default_time, value);
  if (iequals(key, "PreemptMode")) return set_preempt_mode(p, value);
  if (iequals(key, "QOS")) return set_qos(cluster, p, value);
  if (iequals(key, "AllowGroups")) return p.allow_groups = Text(value), Result<void>{};
  if (iequals(key, "AllowAccounts")) return p.allow_accounts = Text(value), Result<void>{};
  if (iequals(key, "AllowQos")) return p.allow_qos = Text(value), Result<void>{};
  if (iequals(key, "DenyAccounts")) return p.deny_accounts = Text(value), Result<void>{};
  if (iequals(key, "DenyQos")) return p.deny_qos = Text(value), Result<void>{};
  if (iequals(key, "OverSubscribe") || iequals(key, "Shared")) return set_oversubscribe(p, value);
  for (auto [name, flag] :
       {std::pair{"Default", &Partition::is_default}, std::pair{"Hidden", &Partition::hidden},
        std::pair{"RootOnly", &Partition::root_only}, std::pair{"LLN", &Partition::lln},
        std::pair{"DisableRootJobs", &Partition::disable_root_jobs},
        std::pair{"ExclusiveUser", &Partition::exclusive_user},
        std::pair{"ReqResv", &Partition::req_resv}})
    if (iequals(key, name)) {
      auto yes = parse_yes_no(value);
      if (!yes) return fail(ErrorCode::failure, "Invalid value");
      p.*flag = *yes;
      return {};
    }
  auto number = parse_number<std::uint32_t>(value);
  bool unlimited = iequals(value, "UNLIMITED") || iequals(value, "INFINITE");
  if (iequals(key, "MaxNodes") && (number || unlimited))
    return p.max_nodes = unlimited ? std::nullopt : number, Result<void>{};
  if (iequals(key, "MaxCPUsPerNode") && (number || unlimited))
    return p.max_cpus_per_node = unlimited ? std::nullopt : number, Result<void>{};
  if (iequals(key, "OverTimeLimit") && (number || unlimited))
    return p.over_time_limit = number.value_or(0xffffffffu), Result<void>{};
  if (number) {
    if (iequals(key, "MinNodes")) return p.min_nodes = *number, Result<void>{};
    if (iequals(key, "PriorityTier")) return p.priority_tier = *number, Result<void>{};
    if (iequals(key, "PriorityJobFactor")) return p.priority_job_factor = *number, Result<void>{};
    if (iequals(key, "GraceTime")) return p.grace_time_s = *number, Result<void>{};
    if (iequals(key, "DefMemPerNode"))
      return p.default_memory_per_node_mib = *number, Result<void>{};
    if (iequals(key, "DefMemPerCPU")) return p.default_memory_per_cpu_mib = *number, Result<void>{};
    if (iequals(key, "MaxMemPerNode")) return p.max_memory_per_node_mib = *number, Result<void>{};
    if (iequals(key, "MaxMemPerCPU")) return p.max_memory_per_cpu_mib = *number, Result<void>{};
  }
  return fail(ErrorCode::not_supported_yet, std::string(key));
}

}  // namespace

wire::Answer Core::update_partition(Caller caller, const wire::UpdateRequest& request, Time now) {
  (void)now;
  if (!is_operator(caller)) return Error{ErrorCode::user_id_missing, {}};
  auto name = find_setting(request.settings, {"PartitionName", "Partition"});
  const Partition* known = name ? cluster_.find_partition(*name) : nullptr;
  if (!name || (!known && !request.create)) return Error{ErrorCode::invalid_partition, {}};
  if (known && request.create) return Error{ErrorCode::failure, "Partition already exists"};
  if (request.remove) {
    bool used = false;
    cluster_.jobs.each(
        [&](const Job& job) { used = used || (job.partition == *name && !is_ended(job.state)); });
    if (used) return Error{ErrorCode::failure, "Partition is in use"};
    record(PartitionChanged{.partition = *known, .removed = true});
    return wire::Done{};
  }
  Partition draft = known ? *known : Partition{.name = *name};
  for (const auto& [key, value] : request.settings) {
    if (iequals(key, "PartitionName") || iequals(key, "Partition")) continue;
    if (auto ok = set_key(cluster_, draft, key, value); !ok) return ok.error();
  }
  record(PartitionChanged{.partition = std::move(draft)});
  want_plan();
  return wire::Done{};
}

}  // namespace muster::controller
