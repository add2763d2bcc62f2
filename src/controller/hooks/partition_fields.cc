// Partitions in the form in which Slurm's submit scripts see them.
#include "controller/hooks/partition_fields.h"

#include "base/text/duration.h"
#include "base/text/strings.h"
#include "wire/hook_fields.h"

namespace muster::controller {

namespace {

constexpr std::uint64_t kDefault = 1, kHidden = 2;  // bits of flags
constexpr std::uint64_t kForced = 1 << 15;          // in max_share

std::uint64_t minutes(const std::optional<Minutes>& span, std::uint64_t unset) {
  if (!span) return unset;
  return *span == kUnlimited ? wire::kInfinite : static_cast<std::uint64_t>(span->count());
}

std::uint64_t state_number(PartitionState state) {
  constexpr std::uint64_t kDown = 1, kDrain = 2, kUp = 3;
  switch (state) {
    case PartitionState::up:
      return kUp;
    case PartitionState::down:
      return kDown;
    case PartitionState::drain:
      return kDrain;
    case PartitionState::inactive:
      break;
  }
  return 0;
}

std::uint64_t share_number(const Partition& p) {
  const auto sharing = parse_oversubscribe(p.oversubscribe).value_or(OverSubscribe{});
  switch (sharing.mode) {
    case OverSubscribe::Mode::exclusive:
      return 0;
    case OverSubscribe::Mode::no:
      return 1;
    case OverSubscribe::Mode::yes:
      return sharing.jobs;
    case OverSubscribe::Mode::force:
      break;
  }
  return kForced | sharing.jobs;
}

}  // namespace

wire::HookFields partition_fields(const Partition& p) {
  wire::HookFields fields;
  auto text = [&](std::string_view name, std::string_view value) {
    if (!value.empty() && !iequals(value, "ALL") && !iequals(value, "(null)"))
      fields.push_back({std::string(name), std::string(value), {}});
  };
  auto number = [&](std::string_view name, std::uint64_t value) {
    fields.push_back({std::string(name), {}, value});
  };
  fields.push_back({"name", p.name.str(), {}});
  fields.push_back({"nodes", p.nodes_text.str(), {}});
  text("allow_accounts", p.allow_accounts);
  text("allow_alloc_nodes", p.allow_alloc_nodes);
  text("allow_groups", p.allow_groups);
  text("allow_qos", p.allow_qos);
  text("alternate", p.alternate);
  text("billing_weights_str", p.tres_billing_weights.view());
  text("deny_accounts", p.deny_accounts);
  text("deny_qos", p.deny_qos);
  text("qos", p.qos);
  number("default_time", minutes(p.default_time, wire::kNoVal));
  number("flag_default", p.is_default ? 1 : 0);
  number("flags", (p.is_default ? kDefault : 0) | (p.hidden ? kHidden : 0));
  number("max_cpus_per_node", p.max_cpus_per_node.value_or(wire::kInfinite));
  if (p.default_memory_per_cpu_mib)
    number("def_mem_per_cpu", *p.default_memory_per_cpu_mib);
  else
    number("def_mem_per_node", p.default_memory_per_node_mib.value_or(0));
  if (p.max_memory_per_cpu_mib)
    number("max_mem_per_cpu", *p.max_memory_per_cpu_mib);
  else
    number("max_mem_per_node", p.max_memory_per_node_mib.value_or(0));
  for (std::string_view name : {"max_nodes", "max_nodes_orig"})
    number(name, p.max_nodes ? *p.max_nodes : wire::kInfinite);
  for (std::string_view name : {"min_nodes", "min_nodes_orig"}) number(name, p.min_nodes);
  for (std::string_view name : {"max_share", "max_oversubscribe"}) number(name, share_number(p));
  number("max_time", minutes(p.max_time, wire::kInfinite));
  number("priority_job_factor", p.priority_job_factor);
  number("priority_tier", p.priority_tier);
  number("state_up", state_number(p.state));
  number("total_nodes", p.nodes.size());
  return fields;
}

}  // namespace muster::controller
