// The fields of a partition: one row each, with the names in sinfo and `scontrol show partition`.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/records/node_row.h"
#include "cli/records/record_layout.h"

namespace muster::cli {

namespace partition_table {
namespace {

using R = const NodeGroup&;
using V = FieldValue&;
using P = const Partition&;

std::string_view yes_no(bool value) { return value ? "YES" : "NO"; }

std::string_view not_all(const Text& text) {
  return iequals(text, "all") ? std::string_view() : text.view();
}

void say_limit(V v, const std::optional<Minutes>& limit) {
  if (limit && *limit != kUnlimited) v.limit(*limit);
}

void say_availability(R r, V v) {
  static constexpr std::string_view kStates[] = {"up", "down", "drain", "inactive"};
  v.text(kStates[static_cast<std::size_t>(r.partition->state)]);
}
void show_availability(R r, V v) {
  FieldValue lower;
  say_availability(r, lower);
  v.text(upper(lower.plain_text()));
}

// The denied names are shown only if none are allowed.
template <auto Allow, auto Deny>
void show_allowed(R r, V v) {
  P p = *r.partition;
  const bool denies = !(p.*Deny).empty() && (p.*Allow).empty();
  if (!denies) v.text((p.*Allow).empty() ? "ALL" : (p.*Allow).view());
}
template <auto Allow, auto Deny>
void show_denied(R r, V v) {
  P p = *r.partition;
  if ((p.*Allow).empty()) v.text(p.*Deny);
}

// Memory is given per CPU or per node.
template <auto PerCpu, auto PerNode>
void show_per_node(R r, V v) {
  P p = *r.partition;
  if (p.*PerCpu) return;
  if (p.*PerNode)
    v.number(*(p.*PerNode));
  else
    v.text("UNLIMITED");
}

// Entries of Nodes= that are not nodes.
void show_node_sets(R r, V v) {
  const std::vector<Text>& known = r.partition_view->node_names;
  std::vector<std::string> sets, none;
  for (std::string& name : expand_hostlist(r.partition->nodes_text).value_or(none))
    if (name != "ALL" && std::ranges::find(known, Text(name)) == known.end())
      sets.push_back(std::move(name));
  v.list(std::move(sets));
}

void show_over_time(R r, V v) {
  if (!r.partition->over_time_limit) return;
  if (*r.partition->over_time_limit == 0xffffffffu)
    v.text("UNLIMITED");
  else
    v.number(*r.partition->over_time_limit);
}

constexpr const char* kUnlimitedText = "UNLIMITED";

// clang-format off
constexpr Field<NodeGroup> kFields[] = {
    {{}, {'a', "Available", "AVAIL"}, {"State", nullptr, show_availability}, say_availability},
    {{}, {'g', "Groups", "GROUPS", "all"}, {"AllowGroups", "ALL"}, [](R r, V v) { v.text(not_all(r.partition->allow_groups)); }},
    {{}, {'h', "OverSubscribe", "OVERSUBSCRIBE", "NO"}, {"OverSubscribe", "NO"}, [](R r, V v) { v.text(upper(r.partition->oversubscribe)); }},
    {{}, {'l', "Time", "TIMELIMIT", "infinite"}, {"MaxTime", kUnlimitedText}, [](R r, V v) { say_limit(v, r.partition->max_time); }},
    {{}, {'p', "PriorityTier", "PRIO_TIER"}, {"PriorityTier"}, [](R r, V v) { v.number(r.partition->priority_tier); }},
    {{}, {0, "Priority", "PRIO_TIER"}, {}, [](R r, V v) { v.number(r.partition->priority_tier); }},
    {{}, {'r', "Root", "ROOT"}, {"RootOnly", nullptr, [](R r, V v) { v.text(yes_no(r.partition->root_only)); }}, [](R r, V v) { v.text(r.partition->root_only ? "yes" : "no"); }},
    {{}, {'s', "Size", "JOB_SIZE"}, {}, [](R r, V v) { v.text(job_size_text(*r.partition)); }},
    {{}, {'B', "MaxCPUsPerNode", "MAX_CPUS_PER_NODE", kUnlimitedText}, {"MaxCPUsPerNode", kUnlimitedText}, [](R r, V v) { v.number(r.partition->max_cpus_per_node); }},
    {{}, {'I', "PriorityJobFactor", "PRIO_JOB_FACTOR"}, {"PriorityJobFactor"}, [](R r, V v) { v.number(r.partition->priority_job_factor); }},
    {{}, {'L', "DefaultTime", "DEFAULTTIME", "n/a"}, {"DefaultTime", "NONE", [](R r, V v) { if (r.partition->default_time) v.limit(*r.partition->default_time); }}, [](R r, V v) { say_limit(v, r.partition->default_time); }},
    {{}, {'M', "PreemptMode", "PREEMPT_MODE", "OFF"}, {"PreemptMode", "OFF"}, [](R r, V v) { v.text(upper(r.partition->preempt_mode)); }},
    {{}, {'P', "Partition", "PARTITION"}, {}, [](R r, V v) { v.text(partition_name(r, 0)); }, {.append_within = [](R r, std::size_t width, std::string& out) { out += partition_name(r, width); }}},
    {{}, {'R', "PartitionName", "PARTITION"}, {"PartitionName"}, [](R r, V v) { v.text(r.partition->name); }},
    {{}, {'S', "AllocNodes", "ALLOCNODES", "all"}, {"AllocNodes", "ALL"}, [](R r, V v) { v.text(not_all(r.partition->allow_alloc_nodes)); }},

    // Fields of scontrol only.
    {{}, {}, {"AllowAccounts", kOmit}, show_allowed<&Partition::allow_accounts, &Partition::deny_accounts>},
    {{}, {}, {"AllowQos", kOmit}, show_allowed<&Partition::allow_qos, &Partition::deny_qos>},
    {{}, {}, {"Alternate", kOmit}, [](R r, V v) { v.text(r.partition->alternate); }},
    {{}, {}, {"CpuBind", kOmit}, [](R r, V v) { if (!r.partition->cpu_bind.empty()) v.text(r.partition->cpu_bind.str() + " "); }},
    {{}, {}, {"Default"}, [](R r, V v) { v.text(yes_no(r.partition->is_default)); }},
    {{}, {}, {"DefMemPerCPU", kOmit}, [](R r, V v) { v.number(r.partition->default_memory_per_cpu_mib); }},
    {{}, {}, {"DefMemPerNode", kOmit}, show_per_node<&Partition::default_memory_per_cpu_mib, &Partition::default_memory_per_node_mib>},
    {{}, {}, {"DenyAccounts", kOmit}, show_denied<&Partition::allow_accounts, &Partition::deny_accounts>},
    {{}, {}, {"DenyQos", kOmit}, show_denied<&Partition::allow_qos, &Partition::deny_qos>},
    {{}, {}, {"DisableRootJobs"}, [](R r, V v) { v.text(yes_no(r.partition->disable_root_jobs)); }},
    {{}, {}, {"ExclusiveUser"}, [](R r, V v) { v.text(yes_no(r.partition->exclusive_user)); }},
    {{}, {}, {"GraceTime"}, [](R r, V v) { v.number(r.partition->grace_time_s); }},
    {{}, {}, {"Hidden"}, [](R r, V v) { v.text(yes_no(r.partition->hidden)); }},
    {{}, {}, {"JobDefaults"}, [](R r, V v) { v.text(r.partition->job_defaults); }},
    {{}, {}, {"LLN"}, [](R r, V v) { v.text(yes_no(r.partition->lln)); }},
    {{}, {}, {"MaxMemPerCPU", kOmit}, [](R r, V v) { v.number(r.partition->max_memory_per_cpu_mib); }},
    {{}, {}, {"MaxMemPerNode", kOmit}, show_per_node<&Partition::max_memory_per_cpu_mib, &Partition::max_memory_per_node_mib>},
    {{}, {}, {"MaxNodes", kUnlimitedText}, [](R r, V v) { v.number(r.partition->max_nodes); }},
    {{}, {}, {"MinNodes"}, [](R r, V v) { v.number(r.partition->min_nodes); }},
    {{}, {}, {"NodeSets", kOmit}, show_node_sets},
    {{}, {}, {"Nodes"}, [](R r, V v) { v.text(r.partition_view->nodes); }},
    {{}, {}, {"OverTimeLimit", "NONE"}, show_over_time},
    {{}, {}, {"QoS", "N/A"}, [](R r, V v) { v.text(r.partition->qos); }},
    {{}, {}, {"ReqResv"}, [](R r, V v) { v.text(yes_no(r.partition->req_resv)); }},
    {{}, {}, {"SelectTypeParameters", "NONE"}, [](R r, V v) { v.text(r.partition->select_type_parameters); }},
    {{}, {}, {"TotalCPUs"}, [](R r, V v) { v.number(r.partition_view->total_cpus); }},
    {{}, {}, {"TotalNodes"}, [](R r, V v) { v.number(r.partition_view->total_nodes); }},
    {{}, {}, {"TRES"}, [](R r, V v) { v.text(r.partition_view->total_nodes == 0 ? "" : r.partition_view->tres.view()); }},
    {{}, {}, {"TRESBillingWeights", kOmit}, [](R r, V v) { v.text(r.partition->tres_billing_weights); }},
};
// clang-format on

constexpr ShownLine<NodeGroup> kLines[] = {
    {"PartitionName"},
    {"AllowGroups AllowAccounts DenyAccounts AllowQos DenyQos"},
    {"AllocNodes Alternate Default CpuBind QoS"},
    {"DefaultTime DisableRootJobs ExclusiveUser GraceTime Hidden"},
    {"MaxNodes MaxTime MinNodes LLN MaxCPUsPerNode"},
    {"NodeSets"},
    {"Nodes"},
    {"PriorityJobFactor PriorityTier RootOnly ReqResv OverSubscribe"},
    {"OverTimeLimit PreemptMode"},
    {"State TotalCPUs TotalNodes SelectTypeParameters"},
    {"JobDefaults"},
    {"DefMemPerCPU DefMemPerNode MaxMemPerCPU MaxMemPerNode"},
    {"TRES"},
    {"TRESBillingWeights"},
};

constexpr Field<NodeGroup> kPartitionOrder{
    {}, {}, {}, [](R r, V v) { v.number(r.partition_rank); }};

}  // namespace
}  // namespace partition_table

std::span<const Field<NodeGroup>> partition_fields() { return partition_table::kFields; }
const Field<NodeGroup>& partition_order_field() { return partition_table::kPartitionOrder; }

std::string partition_text(const wire::PartitionView& view, const ShowStyle& style) {
  static const RecordLayout<NodeGroup> layout(partition_fields(), partition_table::kLines);
  const NodeGroup group{
      .partition = &view.partition, .context = &style.context, .partition_view = &view};
  RecordLines lines(style);
  layout.append(group, style, lines);
  return lines.finish(false);
}

}  // namespace muster::cli
