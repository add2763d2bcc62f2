// Applies each key of scontrol update partition to a partition.
#include "controller/update/partition_keys.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "config/lines/partition_line.h"
#include "controller/submit/membership.h"
#include "controller/update/settings_list.h"
#include "model/binding/cpu_bind.h"
#include "wire/update_keys.h"

namespace muster::controller {

namespace {

constexpr std::uint32_t kUnlimitedCount = 0xffffffffu;

std::unexpected<Error> bad_value() { return fail(ErrorCode::failure, "Invalid value"); }

// Lists of names, or ALL.
template <auto Member>
Result<void> set_who(PartitionDraft& d, std::string_view value) {
  d.partition.*Member = iequals(value, "ALL") ? Text() : Text(value);
  return {};
}

template <auto Member>
Result<void> set_text(PartitionDraft& d, std::string_view value) {
  d.partition.*Member = Text(value);
  return {};
}

template <auto Member>
Result<void> set_flag(PartitionDraft& d, std::string_view value) {
  auto yes = wire::parse_yes_no(value);
  if (!yes) return bad_value();
  d.partition.*Member = *yes;
  return {};
}

template <auto Member>
Result<void> set_count(PartitionDraft& d, std::string_view value) {
  auto number = parse_number<std::uint32_t>(value);
  if (!number) return bad_value();
  d.partition.*Member = *number;
  return {};
}

// A number, or UNLIMITED.
template <auto Member>
Result<void> set_cap(PartitionDraft& d, std::string_view value) {
  if (iequals(value, "UNLIMITED") || iequals(value, "INFINITE"))
    return d.partition.*Member = std::nullopt, Result<void>{};
  return set_count<Member>(d, value);
}

// Memory per CPU and memory per node replace each other.
template <auto Member, auto Other>
Result<void> set_memory(PartitionDraft& d, std::string_view value) {
  auto mib = parse_number<std::uint64_t>(value);
  if (!mib) return bad_value();
  d.partition.*Member = *mib == 0 ? std::nullopt : mib;
  d.partition.*Other = std::nullopt;
  return {};
}

template <auto Member>
Result<void> set_limit(PartitionDraft& d, std::string_view value) {
  auto limit = parse_time_limit(value);
  if (!limit) return fail(ErrorCode::invalid_time_limit);
  d.partition.*Member = *limit == kUnlimited ? std::nullopt : std::optional(*limit);
  return {};
}

Result<void> set_nodes(PartitionDraft& d, std::string_view value) {
  Partition& p = d.partition;
  p.nodes.clear();
  p.nodes_text = Text(value);
  if (iequals(value, "ALL")) {
    p.nodes = *d.cluster.node_order;
    return {};
  }
  auto names = expand_hostlist(value);
  if (!names) return fail(ErrorCode::invalid_node_name);
  for (const std::string& name : *names) {
    const Node* node = d.cluster.find_node(name);
    if (!node) return fail(ErrorCode::invalid_node_name);
    p.nodes.push_back(node->id);
  }
  return {};
}

// A state by its name or an abbreviation.
Result<void> set_state(PartitionDraft& d, std::string_view value) {
  constexpr std::pair<std::string_view, PartitionState> kStates[] = {
      {"up", PartitionState::up},
      {"down", PartitionState::down},
      {"drain", PartitionState::drain},
      {"inactive", PartitionState::inactive}};
  auto at = std::ranges::find_if(
      kStates, [&](const auto& state) { return istarts_with(state.first, value); });
  if (value.size() < 2 || at == std::end(kStates)) return bad_value();
  d.partition.state = at->second;
  return {};
}

Result<void> set_oversubscribe(PartitionDraft& d, std::string_view value) {
  auto parsed = parse_oversubscribe(value);
  if (!parsed) return bad_value();
  d.partition.oversubscribe = parsed->text();
  return {};
}

Result<void> set_preempt_mode(PartitionDraft& d, std::string_view value) {
  if (!parse_preempt_mode(value)) return bad_value();
  d.partition.preempt_mode = Text(upper(value));
  return {};
}

Result<void> set_qos(PartitionDraft& d, std::string_view value) {
  if (!value.empty())
    if (auto ok = is_known_qos(d.cluster, value); !ok) return ok;
  d.partition.qos = Text(value);
  return {};
}

Result<void> set_alternate(PartitionDraft& d, std::string_view value) {
  d.partition.alternate = iequals(value, "NONE") ? Text() : Text(value);
  return {};
}

Result<void> set_over_time_limit(PartitionDraft& d, std::string_view value) {
  if (iequals(value, "UNLIMITED") || iequals(value, "INFINITE"))
    return d.partition.over_time_limit = kUnlimitedCount, Result<void>{};
  auto minutes = parse_number<std::uint16_t>(value.empty() ? "0" : value);
  if (!minutes || *minutes >= 0xfffe) return bad_value();
  d.partition.over_time_limit = *minutes;
  return {};
}

Result<void> set_priority(PartitionDraft& d, std::string_view value) {
  if (auto ok = set_count<&Partition::priority_tier>(d, value); !ok) return ok;
  return set_count<&Partition::priority_job_factor>(d, value);
}

// "1" or "1-3"; the first number counts.
Result<void> set_min_nodes(PartitionDraft& d, std::string_view value) {
  return set_count<&Partition::min_nodes>(d, value.substr(0, value.find('-')));
}

Result<void> set_job_defaults(PartitionDraft& d, std::string_view value) {
  std::vector<std::string> parts;
  for (std::string_view part : split(value, ',')) {
    if (value.empty()) break;
    auto equals = part.find('=');
    std::string_view name = part.substr(0, equals);
    auto number =
        equals == part.npos ? std::nullopt : parse_number<std::uint64_t>(part.substr(equals + 1));
    bool of_cpus = iequals(name, "DefCpuPerGPU");
    if (!number || (!of_cpus && !iequals(name, "DefMemPerGPU")))
      return fail(ErrorCode::failure, "Invalid JobDefaults specification");
    parts.push_back(fmt::format("{}={}", of_cpus ? "DefCpuPerGPU" : "DefMemPerGPU", *number));
  }
  d.partition.job_defaults = join(parts, ",");
  return {};
}

Result<void> set_billing_weights(PartitionDraft& d, std::string_view value) {
  if (!value.empty() && !config::are_billing_weights(value))
    return fail(ErrorCode::failure, "Invalid TRESBillingWeights specification");
  d.partition.tres_billing_weights = Text(value);
  return {};
}

Result<void> set_cpu_bind(PartitionDraft& d, std::string_view value) {
  auto bind = parse_default_cpu_bind(value);
  if (!bind) return std::unexpected(bind.error());
  d.partition.cpu_bind = *bind;
  return {};
}

struct PartitionSetter {
  std::string_view name;
  Result<void> (*set)(PartitionDraft&, std::string_view value);
};
using P = Partition;
constexpr PartitionSetter kPartitionSetters[] = {
    {"Nodes", set_nodes},
    {"State", set_state},
    {"MaxTime", set_limit<&P::max_time>},
    {"DefaultTime", set_limit<&P::default_time>},
    {"PreemptMode", set_preempt_mode},
    {"QOS", set_qos},
    {"AllocNodes", set_who<&P::allow_alloc_nodes>},
    {"AllowGroups", set_who<&P::allow_groups>},
    {"AllowAccounts", set_who<&P::allow_accounts>},
    {"AllowQOS", set_who<&P::allow_qos>},
    {"DenyAccounts", set_text<&P::deny_accounts>},
    {"DenyQOS", set_text<&P::deny_qos>},
    {"Alternate", set_alternate},
    {"OverSubscribe", set_oversubscribe},
    {"Shared", set_oversubscribe},
    {"Default", set_flag<&P::is_default>},
    {"Hidden", set_flag<&P::hidden>},
    {"RootOnly", set_flag<&P::root_only>},
    {"LLN", set_flag<&P::lln>},
    {"DisableRootJobs", set_flag<&P::disable_root_jobs>},
    {"ExclusiveUser", set_flag<&P::exclusive_user>},
    {"ReqResv", set_flag<&P::req_resv>},
    {"MaxNodes", set_cap<&P::max_nodes>},
    {"MinNodes", set_min_nodes},
    {"MaxCPUsPerNode", set_cap<&P::max_cpus_per_node>},
    {"OverTimeLimit", set_over_time_limit},
    {"Priority", set_priority},
    {"PriorityTier", set_count<&P::priority_tier>},
    {"PriorityJobFactor", set_count<&P::priority_job_factor>},
    {"GraceTime", set_count<&P::grace_time_s>},
    {"DefMemPerNode", set_memory<&P::default_memory_per_node_mib, &P::default_memory_per_cpu_mib>},
    {"DefMemPerCPU", set_memory<&P::default_memory_per_cpu_mib, &P::default_memory_per_node_mib>},
    {"MaxMemPerNode", set_memory<&P::max_memory_per_node_mib, &P::max_memory_per_cpu_mib>},
    {"MaxMemPerCPU", set_memory<&P::max_memory_per_cpu_mib, &P::max_memory_per_node_mib>},
    {"JobDefaults", set_job_defaults},
    {"TRESBillingWeights", set_billing_weights},
    {"CpuBind", set_cpu_bind},
};

}  // namespace

bool has_partition_setter(std::string_view name) {
  return std::ranges::find(kPartitionSetters, name, &PartitionSetter::name) !=
         std::end(kPartitionSetters);
}

Result<void> set_partition_key(PartitionDraft& draft, std::string_view name,
                               std::string_view value) {
  const auto* key = wire::find_update_key(wire::UpdateRequest::Kind::partition, name);
  if (!key || !has_partition_setter(key->name))
    return fail(ErrorCode::not_supported_yet, std::string(name));
  return std::ranges::find(kPartitionSetters, key->name, &PartitionSetter::name)->set(draft, value);
}

}  // namespace muster::controller
