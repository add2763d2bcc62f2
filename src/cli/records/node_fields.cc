// The fields of a node: one row each, with the names in --json, sinfo and `scontrol show node`, in
// the order of --json.
#include "cli/tables/json.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "cli/records/node_row.h"
#include "cli/records/record_text.h"
#include "model/node/spec_cores.h"

namespace muster::cli {

namespace node_table {
namespace {

using R = const NodeGroup&;
using V = FieldValue&;

constexpr NodeGroup::Mark kRange{Grouping::range};
constexpr NodeGroup::Mark kSum{Grouping::sum};
constexpr const char* kNull = "(null)";
constexpr const char* kNone = "";

// The smallest value, followed by "+" if some node has more.
template <auto Get>
void say_least(R r, V v) {
  std::uint64_t least = 0, most = 0;
  for (const wire::NodeView* view : r.nodes) {
    const std::uint64_t value = Get(view->node->config);
    if (view == r.nodes.front()) least = most = value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  if (most > least)
    v.text(fmt::format("{}+", least));
  else
    v.number(least);
}
template <auto Get>
std::int64_t least_key(R r) {
  std::int64_t least = 0;
  for (const wire::NodeView* view : r.nodes) {
    const auto value = static_cast<std::int64_t>(Get(view->node->config));
    least = view == r.nodes.front() ? value : std::min(least, value);
  }
  return least;
}
template <auto Get>
constexpr ListedHow<NodeGroup> kLeast{.key = least_key<Get>, .mark = kRange};

auto cpus(const NodeConfig& config) { return config.cpus; }
auto memory(const NodeConfig& config) { return config.memory_mib; }
auto disk(const NodeConfig& config) { return config.tmp_disk_mib; }
auto weight(const NodeConfig& config) { return config.weight; }
auto sockets(const NodeConfig& config) { return config.sockets; }
auto cores(const NodeConfig& config) { return config.cores_per_socket; }
auto threads(const NodeConfig& config) { return config.threads_per_core; }

void say_sockets_cores_threads(R r, V v) {
  std::string text;
  for (Getter<NodeGroup> say : {say_least<sockets>, say_least<cores>, say_least<threads>}) {
    FieldValue part;
    say(r, part);
    if (!text.empty()) text += ':';
    text += part.shown({}, nullptr);
  }
  v.text(text);
}

void say_free_memory(R r, V v) {
  std::uint64_t least = 0, most = 0;
  bool any = r.nodes.empty();
  for (const wire::NodeView* view : r.nodes) {
    if (!view->free_memory_known) continue;
    least = any ? std::min(least, view->free_memory_mib) : view->free_memory_mib;
    most = std::max(most, view->free_memory_mib);
    any = true;
  }
  if (most > least)
    v.text(fmt::format("{}-{}", least, most));
  else if (any)
    v.number(least);
}
void say_load(R r, V v) {
  double low = 0, high = 0;
  bool any = r.nodes.empty();
  for (const wire::NodeView* view : r.nodes) {
    if (view->cpu_load < 0) continue;
    low = any ? std::min(low, view->cpu_load) : view->cpu_load;
    high = std::max(high, view->cpu_load);
    any = true;
  }
  if (!any) return;
  const std::string least = fmt::format("{:.2f}", low), most = fmt::format("{:.2f}", high);
  v.text(least == most ? least : least + "-" + most);
}
void say_load_in_hundredths(R r, V v) {
  const double load = r.nodes.front()->cpu_load;
  if (load >= 0) v.number(static_cast<std::int64_t>(load * 100 + 0.5));
}

void say_joined(V v, const std::vector<Text>& texts) {
  std::string& out = v.text();
  for (const Text& text : texts) out.append(out.empty() ? "" : ",").append(text.view());
}

template <auto Get>
void say_names(R r, V v) {
  std::vector<std::string> names;
  names.reserve(r.nodes.size());
  for (const wire::NodeView* view : r.nodes) names.push_back(Get(view->node->config).str());
  v.text(compress_hostlist_sorted(std::move(names)));
}
Text name_of(const NodeConfig& config) { return config.name; }
Text address_of(const NodeConfig& config) { return config.address; }
Text host_of(const NodeConfig& config) { return config.hostname; }
void show_address(R r, V v) {
  const NodeConfig& config = r.first()->config;
  v.text(config.address.empty() ? config.name : config.address);
}
void show_host(R r, V v) {
  const NodeConfig& config = r.first()->config;
  v.text(config.hostname.empty() ? config.name : config.hostname);
}
std::int64_t name_key(R r) {
  if (r.nodes.empty() || !r.name_rank) return kUnsetKey;
  auto rank = r.name_rank->find(r.first()->id);
  return rank == r.name_rank->end() ? kUnsetKey : rank->second;
}

std::int64_t row_state_key(R r) { return r.first() ? state_key(*r.first()) : -1; }
void say_state_base(R r, V v) { v.text(lower(base_state(node_state_long(*r.first())))); }
void say_state_flags(R r, V v) {
  const std::string state = node_state_long(*r.first());
  auto words = split(state, '+');
  v.list(std::vector<std::string>(words.begin() + 1, words.end()));
}

const Node* with_reason(R r) {
  return r.first() && !r.first()->reason.empty() ? r.first() : nullptr;
}
void say_reason_user(R r, V v) {
  if (const Node* n = with_reason(r)) v.text(r.context->names.user(n->reason_uid));
}
void show_reason(R r, V v) {
  const Node* n = with_reason(r);
  if (!n) return;
  v.text(n->reason);
  if (is_set(n->reason_time))
    v.text(
        fmt::format(" [{}@{}]", r.context->names.user(n->reason_uid), format_date(n->reason_time)));
}

void show_port(R r, V v) {
  constexpr std::uint32_t kDefaultPort = 6818;
  if (r.first()->config.port != kDefaultPort && r.first()->config.port != 0)
    v.number(r.first()->config.port);
}

void say_counts(V v, const CpuCounts& counts) {
  v.text(fmt::format("{}/{}/{}/{}", counts.allocated, counts.idle, counts.other, counts.total));
}

std::uint64_t effective_cpus(const NodeConfig& config) {
  return config.cpus - spec_cpus(config).size();
}
void say_configured_tres(R r, V v) {
  const NodeConfig& config = r.first()->config;
  const std::uint64_t cpus = effective_cpus(config);
  v.text(fmt::format("cpu={},mem={},billing={}{}", cpus, format_mib(config.memory_mib), cpus,
                     gres_sums(config.gres)));
}
void say_used_tres(R r, V v) {
  const Node& node = *r.first();
  std::string out;
  if (!node.used_cpus.empty()) out += fmt::format(",cpu={}", node.used_cpus.size());
  if (node.used_memory_mib > 0) out += fmt::format(",mem={}", format_mib(node.used_memory_mib));
  out += gres_sums(node.used_gres);
  v.text(std::string_view(out).substr(out.empty() ? 0 : 1));
}
void say_used_gres(R r, V v) {
  if (!r.first()) return;
  const std::string used = used_gres_of_node(*r.first());
  v.text(used.empty() ? "gpu:0" : used);
}

// clang-format off
constexpr Field<NodeGroup> kFields[] = {
    {{"architecture"}, {}, {"Arch", kOmit}, [](R r, V v) { v.text(r.first()->facts.arch); }},
    {{"burstbuffer_network_address"}, {}, {}, [](R, V v) { v.text(""); }},
    {{"boards"}, {}, {"Boards"}, [](R r, V v) { v.number(r.first()->config.boards); }},
    {{"boot_time"}, {}, {"BootTime", "None"}, [](R r, V v) { v.time(r.first()->facts.boot_time); }},
    {{"comment"}, {0, "Comment", "COMMENT", kNull}, {"Comment", kOmit}, [](R r, V v) { if (auto* n = r.first()) v.text(n->comment); }},
    {{"cores"}, {'Y', "Cores", "CORES"}, {"CoresPerSocket"}, say_least<cores>, kLeast<cores>},
    {{"cpu_binding"}, {}, {}, [](R, V v) { v.number(0); }},
    {{"cpu_load", say_load_in_hundredths}, {'O', "CPUsLoad", "CPU_LOAD"}, {"CPULoad"}, say_load, {.mark = kRange}},
    {{"extra"}, {0, "Extra", "EXTRA", kNull}, {"Extra", kOmit}, [](R r, V v) { if (auto* n = r.first()) v.text(n->extra); }},
    {{"free_memory"}, {'e', "FreeMem", "FREE_MEM"}, {"FreeMem"}, say_free_memory, {.mark = kRange}},
    {{"cpus"}, {'c', "CPUs", "CPUS"}, {"CPUTot"}, say_least<cpus>, kLeast<cpus>},
    {{"last_busy"}, {}, {"LastBusyTime"}, [](R r, V v) { v.time(r.first()->last_busy); }},
    {{"features"}, {'f', "Features", "AVAIL_FEATURES", kNull}, {"AvailableFeatures"}, [](R r, V v) { if (auto* n = r.first()) say_joined(v, n->config.features); }},
    {{"active_features"}, {'b', "features_act", "ACTIVE_FEATURES", kNull}, {"ActiveFeatures"}, [](R r, V v) { if (auto* n = r.first()) say_joined(v, n->active_features); }},
    {{"gres"}, {'G', "Gres", "GRES", kNull}, {"Gres"}, [](R r, V v) { if (auto* n = r.first()) v.text(gres_of_node(n->config)); }},
    {{"gres_drained"}, {}, {"GresDrain"}, [](R, V v) { v.text("N/A"); }},
    {{"gres_used"}, {0, "GresUsed", "GRES_USED", kNull}, {"GresUsed", nullptr, [](R r, V v) { v.text(used_gres_of_node(*r.first())); }}, say_used_gres},
    {{"mcs_label"}, {}, {"MCS_label", "N/A"}, [](R, V v) { v.text(""); }},
    {{"name"}, {'N', "NodeList", "NODELIST", kNone}, {"NodeName"}, say_names<name_of>, {.key = name_key, .whole_header = true, .mark = kSum}},
    {{"next_state_after_reboot", [](R, V v) { v.text("invalid"); }}, {}, {"NextState", kOmit}, [](R r, V v) { v.text(r.first()->reboot.next_state); }},
    {{"address"}, {'o', "NodeAddr", "NODE_ADDR", kNone}, {"NodeAddr", nullptr, show_address}, say_names<address_of>, {.whole_header = true, .mark = kSum}},
    {{"hostname"}, {'n', "NodeHost", "HOSTNAMES", kNone}, {"NodeHostName", nullptr, show_host}, say_names<host_of>, {.whole_header = true, .mark = kSum}},
    {{"state", say_state_base}, {0, "StateComplete", "STATECOMPLETE", "n/a"}, {"State", nullptr, [](R r, V v) { v.text(node_state_long(*r.first())); }}, [](R r, V v) { if (auto* n = r.first()) v.text(lower(node_state_long(*n))); }},
    {{"state_flags"}, {}, {}, say_state_flags},
    {{"next_state_after_reboot_flags"}, {}, {}, [](R, V v) { v.list({}); }},
    {{"operating_system"}, {}, {"OS", kOmit}, [](R r, V v) { v.text(r.first()->facts.os); }},
    {{"owner"}, {}, {"Owner"}, [](R r, V v) { if (!r.nodes.front()->owner.empty()) v.text(r.nodes.front()->owner); }},
    {{"partitions", [](R r, V v) { std::vector<std::string> names; for (const Text& name : r.nodes.front()->partitions) names.push_back(name.str()); v.list(std::move(names)); }}, {}, {"Partitions", kOmit}, [](R r, V v) { say_joined(v, r.nodes.front()->partitions); }},
    {{"port"}, {0, "Port", "PORT", "0"}, {"Port", kOmit, show_port}, [](R r, V v) { if (auto* n = r.first()) v.number(n->config.port); }, {.mark = kRange}},
    {{"real_memory"}, {'m', "Memory", "MEMORY"}, {"RealMemory"}, say_least<memory>, kLeast<memory>},
    {{"reason", [](R r, V v) { v.text(r.first()->reason); }}, {'E', "Reason", "REASON", "none"}, {"Reason", kOmit, show_reason}, [](R r, V v) { if (auto* n = with_reason(r)) v.text(n->reason); }},
    {{"reason_changed_at", [](R r, V v) { v.time(r.first()->reason_time); }}, {'H', "TimeStamp", "TIMESTAMP"}, {}, [](R r, V v) { v.time(with_reason(r) ? r.first()->reason_time : Time{}); }},
    {{"reason_set_by_user"}, {'u', "User", "USER", "Unknown"}, {}, say_reason_user},
    {{"slurmd_start_time"}, {}, {"SlurmdStartTime", "None"}, [](R r, V v) { v.time(r.first()->facts.slurmd_started); }},
    {{"sockets"}, {'X', "Sockets", "SOCKETS"}, {"Sockets"}, say_least<sockets>, kLeast<sockets>},
    {{"threads"}, {'Z', "Threads", "THREADS"}, {"ThreadsPerCore"}, say_least<threads>, kLeast<threads>},
    {{"temporary_disk"}, {'d', "Disk", "TMP_DISK"}, {"TmpDisk"}, say_least<disk>, kLeast<disk>},
    {{"weight"}, {'w', "Weight", "WEIGHT"}, {"Weight"}, say_least<weight>, kLeast<weight>},
    {{"tres"}, {}, {"CfgTRES"}, say_configured_tres},
    {{"slurmd_version"}, {'v', "Version", "VERSION", kNull}, {"Version", kOmit}, [](R r, V v) { if (auto* n = r.first()) v.text(n->facts.version); }},
    {{"alloc_memory"}, {0, "AllocMem", "ALLOCMEM", "0"}, {"AllocMem"}, [](R r, V v) { if (auto* n = r.first()) v.number(n->used_memory_mib); }},
    {{"alloc_cpus"}, {}, {"CPUAlloc"}, [](R r, V v) { v.number(r.first()->used_cpus.size()); }},
    {{"idle_cpus"}, {}, {}, [](R r, V v) { v.number(cpu_counts(r.nodes).idle); }},
    {{"tres_used"}, {}, {"AllocTRES", kNone}, say_used_tres},
    {{"tres_weighted"}, {}, {}, [](R r, V v) { v.real(static_cast<double>(r.first()->used_cpus.size())); }},

    // Fields of sinfo only.
    {{}, {'t', "StateCompact", "STATE", "n/a"}, {}, [](R r, V v) { if (auto* n = r.first()) v.text(node_state_compact(*n)); }, {.key = row_state_key}},
    {{}, {'z', "SocketCoreThread", "S:C:T"}, {}, say_sockets_cores_threads, {.mark = kRange}},
    {{}, {'A', "NodeAI", "NODES(A/I)"}, {}, [](R r, V v) { const CpuCounts c = node_counts(r.nodes); v.text(fmt::format("{}/{}", c.allocated, c.idle)); }, {.key = [](R r) { return static_cast<std::int64_t>(node_counts(r.nodes).allocated); }, .mark = kSum}},
    {{}, {'C', "CPUsState", "CPUS(A/I/O/T)"}, {}, [](R r, V v) { say_counts(v, cpu_counts(r.nodes)); }, {.key = [](R r) { return static_cast<std::int64_t>(cpu_counts(r.nodes).allocated); }, .mark = kSum}},
    {{}, {'D', "Nodes", "NODES"}, {}, [](R r, V v) { v.number(r.nodes.size()); }, {.mark = kSum}},
    {{}, {'F', "NodeAIOT", "NODES(A/I/O/T)"}, {}, [](R r, V v) { say_counts(v, node_counts(r.nodes)); }, {.key = [](R r) { return static_cast<std::int64_t>(node_counts(r.nodes).allocated); }, .mark = kSum}},
    {{}, {'T', "StateLong", "STATE", "n/a"}, {}, [](R r, V v) { if (auto* n = r.first()) v.text(node_state_word(*n)); }, {.key = row_state_key}},
    {{}, {'U', "UserLong", "USER", "Unknown"}, {}, [](R r, V v) { say_reason_user(r, v); if (auto* n = with_reason(r)) v.text(fmt::format("({})", n->reason_uid.value)); }},
    // there are no federations
    {{}, {'V', "Cluster", "CLUSTER"}, {}, [](R, V v) { v.text("N/A"); }},

    // Fields of scontrol only.
    {{}, {}, {"AveWatts"}, [](R, V v) { v.number(0); }},
    {{}, {}, {"CapWatts"}, [](R, V v) { v.text("n/a"); }},
    {{}, {}, {"CPUEfctv"}, [](R r, V v) { v.number(effective_cpus(r.first()->config)); }},
    {{}, {}, {"CpuBind", kOmit}, [](R r, V v) { v.text(r.first()->config.cpu_bind); }},
    {{}, {}, {"CurrentWatts"}, [](R, V v) { v.number(0); }},
    {{}, {}, {"ExtSensorsJoules"}, [](R, V v) { v.text("n/s"); }},
    {{}, {}, {"ExtSensorsTemp"}, [](R, V v) { v.text("n/s"); }},
    {{}, {}, {"ExtSensorsWatts"}, [](R, V v) { v.number(0); }},
};
// clang-format on

}  // namespace
}  // namespace node_table

std::span<const Field<NodeGroup>> node_fields() { return node_table::kFields; }

std::span<const Field<NodeGroup>> node_columns() {
  static const std::vector<Field<NodeGroup>> columns = [] {
    std::vector<Field<NodeGroup>> all(node_fields().begin(), node_fields().end());
    all.insert(all.end(), partition_fields().begin(), partition_fields().end());
    return all;
  }();
  return columns;
}

}  // namespace muster::cli
