// The table of the fields of jobs in submit scripts.
#include "wire/hook_fields.h"

#include <algorithm>

namespace muster::wire {

namespace {

constexpr bool kNumber = true, kShown = false;

constexpr HookFieldRow text(std::string_view name) { return {name}; }
constexpr HookFieldRow shown(std::string_view name) { return {name, false, {}, kShown}; }
constexpr HookFieldRow number(std::string_view name, std::optional<std::uint64_t> unset) {
  return {name, kNumber, unset};
}
constexpr HookFieldRow fixed(std::string_view name, std::optional<std::uint64_t> unset,
                             std::optional<std::uint64_t> in_update = {}) {
  return {name, kNumber, unset, kShown, in_update};
}
constexpr HookFieldRow flags(std::string_view name, std::uint64_t unset, std::uint64_t in_update) {
  return {name, kNumber, unset, true, in_update};
}

constexpr HookFieldRow kFields[] = {
    text("account"),
    text("acctg_freq"),
    text("admin_comment"),
    shown("alloc_node"),
    text("array_inx"),
    text("batch_features"),
    number("begin_time", 0),
    number("bitflags", 0),
    fixed("boards_per_node", 0),
    text("burst_buffer"),
    shown("clusters"),
    text("comment"),
    text("container"),
    flags("contiguous", 0, kNoVal16),
    number("cores_per_socket", kNoVal16),
    fixed("cpu_freq_gov", kNoVal),
    fixed("cpu_freq_max", kNoVal),
    fixed("cpu_freq_min", kNoVal),
    number("cpus_per_task", kNoVal16),
    text("cpus_per_tres"),
    shown("default_account"),
    shown("default_qos"),
    number("delay_boot", kNoVal),
    text("dependency"),
    fixed("end_time", 0),
    text("exc_nodes"),
    text("extra"),
    text("features"),
    text("gres"),
    fixed("group_id", 0, kNoVal),
    fixed("het_job_offset", kNoVal, 0),
    fixed("immediate", 0),
    text("licenses"),
    flags("mail_type", 0, kNoVal16),
    text("mail_user"),
    fixed("max_cpus", kNoVal),
    number("max_nodes", kNoVal),
    text("mem_per_tres"),
    fixed("min_cpus", {}),
    number("min_mem_per_cpu", {}),
    number("min_mem_per_node", {}),
    number("min_nodes", kNoVal),
    text("name"),
    text("network"),
    number("nice", kNoVal),
    fixed("ntasks_per_board", 0),
    number("ntasks_per_core", kNoVal16),
    number("ntasks_per_gpu", kNoVal16),
    number("ntasks_per_node", kNoVal16),
    number("ntasks_per_socket", kNoVal16),
    number("ntasks_per_tres", kNoVal16),
    number("num_tasks", kNoVal),
    number("oversubscribe", kNoVal16),
    fixed("pack_job_offset", kNoVal, 0),
    text("partition"),
    number("pn_min_cpus", kNoVal16),
    number("pn_min_memory", kNoVal64),
    number("pn_min_tmp_disk", kNoVal),
    fixed("power_flags", 0),
    text("prefer"),
    number("priority", kNoVal),
    text("qos"),
    number("reboot", kNoVal16),
    text("req_nodes"),
    number("req_switch", kNoVal),
    number("requeue", kNoVal16),
    text("reservation"),
    text("script"),
    number("shared", kNoVal16),
    number("site_factor", kNoVal),
    fixed("sockets_per_board", 0),
    number("sockets_per_node", kNoVal16),
    fixed("spank_job_env_size", 0),
    text("std_err"),
    text("std_in"),
    text("std_out"),
    number("threads_per_core", kNoVal16),
    number("time_limit", kNoVal),
    number("time_min", kNoVal),
    text("tres_bind"),
    text("tres_freq"),
    text("tres_per_job"),
    text("tres_per_node"),
    text("tres_per_socket"),
    text("tres_per_task"),
    fixed("user_id", 0),
    shown("user_name"),
    number("wait4switch", kNoVal),
    text("wckey"),
    text("work_dir"),
};

}  // namespace

std::span<const HookFieldRow> hook_fields() { return kFields; }

const HookFieldRow* find_hook_field(std::string_view name) {
  const auto found = std::ranges::lower_bound(kFields, name, {}, &HookFieldRow::name);
  return found != std::end(kFields) && found->name == name ? &*found : nullptr;
}

bool says_unset(const HookField& field) {
  if (!field.number) return !field.text || field.text->empty();
  const std::uint64_t n = *field.number;
  return n == kNoVal || n == kNoVal64 || n == kNoVal16;
}

}  // namespace muster::wire
