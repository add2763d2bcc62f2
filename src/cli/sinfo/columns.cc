// sinfo's columns. Those with a letter come first, in the order in which %all prints them.
#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "cli/records/record_text.h"
#include "cli/sinfo/row.h"

namespace muster::cli {

namespace {

using Row = const NodeGroup&;
using Out = std::string&;

constexpr bool kWholeHeader = true;

std::string_view or_all(std::string_view text) {
  return text.empty() || iequals(text, "all") ? "all" : text;
}
const Node* first_node(Row row) { return row.nodes.empty() ? nullptr : &*row.nodes.front()->node; }

// The smallest value, "+" behind it where some node has more.
template <class Get>
void put_least(Row row, Out out, Get get) {
  std::uint64_t least = 0, most = 0;
  for (const wire::NodeView* view : row.nodes) {
    std::uint64_t value = get(view->node->config);
    if (view == row.nodes.front()) least = most = value;
    least = std::min(least, value);
    most = std::max(most, value);
  }
  out += fmt::format("{}{}", least, most > least ? "+" : "");
}
template <class Get>
std::int64_t least_key(Row row, Get get) {
  std::int64_t least = 0;
  for (const wire::NodeView* view : row.nodes) {
    auto value = static_cast<std::int64_t>(get(view->node->config));
    least = view == row.nodes.front() ? value : std::min(least, value);
  }
  return least;
}

auto cpus(const NodeConfig& config) { return config.cpus; }
auto memory(const NodeConfig& config) { return config.memory_mib; }
auto disk(const NodeConfig& config) { return config.tmp_disk_mib; }
auto weight(const NodeConfig& config) { return config.weight; }
auto sockets(const NodeConfig& config) { return config.sockets; }
auto cores(const NodeConfig& config) { return config.cores_per_socket; }
auto threads(const NodeConfig& config) { return config.threads_per_core; }

void put_free_memory(Row row, Out out) {
  std::uint64_t least = 0, most = 0;
  bool any = row.nodes.empty();
  for (const wire::NodeView* view : row.nodes) {
    if (!view->free_memory_known) continue;
    least = any ? std::min(least, view->free_memory_mib) : view->free_memory_mib;
    most = std::max(most, view->free_memory_mib);
    any = true;
  }
  if (!any)
    out += "N/A";
  else if (most > least)
    out += fmt::format("{}-{}", least, most);
  else
    out += std::to_string(least);
}
void put_load(Row row, Out out) {
  std::string least, most;
  double low = 0, high = 0;
  bool any = row.nodes.empty();
  for (const wire::NodeView* view : row.nodes) {
    if (view->cpu_load < 0) continue;
    low = any ? std::min(low, view->cpu_load) : view->cpu_load;
    high = std::max(high, view->cpu_load);
    any = true;
  }
  least = fmt::format("{:.2f}", low);
  most = fmt::format("{:.2f}", high);
  if (!any)
    out += "N/A";
  else
    out += least == most ? least : least + "-" + most;
}

void put_features(const std::vector<Text>& features, Out out) {
  if (features.empty()) out += "(null)";
  for (std::size_t i = 0; i < features.size(); ++i) {
    if (i > 0) out += ',';
    out += features[i];
  }
}
void put_available_features(Row row, Out out) {
  const Node* node = first_node(row);
  put_features(node ? node->config.features : std::vector<Text>{}, out);
}
void put_active_features(Row row, Out out) {
  const Node* node = first_node(row);
  put_features(node ? node->active_features : std::vector<Text>{}, out);
}

template <class Get>
void put_names(Row row, Out out, Get get) {
  std::vector<std::string> names;
  names.reserve(row.nodes.size());
  for (const wire::NodeView* view : row.nodes) names.push_back(get(view->node->config).str());
  out += compress_hostlist_sorted(std::move(names));
}
void put_counts(const CpuCounts& counts, Out out) {
  out += fmt::format("{}/{}/{}/{}", counts.allocated, counts.idle, counts.other, counts.total);
}

bool has_reason(Row row) { return first_node(row) && !first_node(row)->reason.empty(); }
void put_reason(Row row, Out out) {
  out += has_reason(row) ? first_node(row)->reason.view() : "none";
}
void put_reason_time(Row row, Out out) {
  row.context->times.append(has_reason(row) ? first_node(row)->reason_time : Time{}, "Unknown",
                            out);
}
void put_reason_user(Row row, Out out) {
  out += has_reason(row) ? std::string_view(row.context->names.user(first_node(row)->reason_uid))
                         : "Unknown";
}
void put_reason_user_long(Row row, Out out) {
  put_reason_user(row, out);
  if (has_reason(row)) out += fmt::format("({})", first_node(row)->reason_uid.value);
}

void put_availability(Row row, Out out) {
  switch (row.partition->state) {
    case PartitionState::up:
      out += "up";
      return;
    case PartitionState::down:
      out += "down";
      return;
    case PartitionState::drain:
      out += "drain";
      return;
    case PartitionState::inactive:
      out += "inactive";
      return;
  }
}
void put_limit(std::optional<Minutes> limit, std::string_view unset, Out out) {
  if (!limit || *limit == kUnlimited)
    out += unset;
  else
    out += format_elapsed_short(*limit);
}
void put_sockets_cores_threads(Row row, Out out) {
  put_least(row, out, sockets);
  out += ':';
  put_least(row, out, cores);
  out += ':';
  put_least(row, out, threads);
}
std::int64_t row_state_key(Row row) { return first_node(row) ? state_key(*first_node(row)) : -1; }
std::int64_t row_name_key(Row row) {
  if (row.nodes.empty()) return kUnsetKey;
  auto rank = row.context->name_rank.find(row.nodes.front()->node->id);
  return rank == row.context->name_rank.end() ? kUnsetKey : rank->second;
}
template <class Text>
void put_or_null(Row row, Out out, Text get) {
  const Node* node = first_node(row);
  out += node ? or_null(get(*node)) : "(null)";
}

constexpr Column<NodeGroup> kNodeColumns[] = {
    {'a', "Available", "AVAIL", put_availability},
    {'b', "features_act", "ACTIVE_FEATURES", put_active_features},
    {'c', "CPUs", "CPUS", [](Row r, Out o) { put_least(r, o, cpus); },
     [](Row r) { return least_key(r, cpus); }},
    {'d', "Disk", "TMP_DISK", [](Row r, Out o) { put_least(r, o, disk); },
     [](Row r) { return least_key(r, disk); }},
    {'e', "FreeMem", "FREE_MEM", put_free_memory},
    {'f', "Features", "AVAIL_FEATURES", put_available_features},
    {'g', "Groups", "GROUPS", [](Row r, Out o) { o += or_all(r.partition->allow_groups); }},
    {'h', "OverSubscribe", "OVERSUBSCRIBE",
     [](Row r, Out o) {
       o += r.partition->oversubscribe.empty() ? "NO" : upper(r.partition->oversubscribe);
     }},
    {'l', "Time", "TIMELIMIT",
     [](Row r, Out o) { put_limit(r.partition->max_time, "infinite", o); },
     [](Row r) -> std::int64_t { return r.partition->max_time.value_or(kUnlimited).count(); }},
    {'m', "Memory", "MEMORY", [](Row r, Out o) { put_least(r, o, memory); },
     [](Row r) { return least_key(r, memory); }},
    {'n', "NodeHost", "HOSTNAMES",
     [](Row r, Out o) { put_names(r, o, [](const NodeConfig& c) { return c.hostname; }); }, nullptr,
     false, nullptr, kWholeHeader},
    {'o', "NodeAddr", "NODE_ADDR",
     [](Row r, Out o) { put_names(r, o, [](const NodeConfig& c) { return c.address; }); }, nullptr,
     false, nullptr, kWholeHeader},
    {'p', "PriorityTier", "PRIO_TIER",
     [](Row r, Out o) { o += std::to_string(r.partition->priority_tier); },
     [](Row r) -> std::int64_t { return r.partition->priority_tier; }},
    {'r', "Root", "ROOT", [](Row r, Out o) { o += r.partition->root_only ? "yes" : "no"; }},
    {'s', "Size", "JOB_SIZE", [](Row r, Out o) { o += job_size_text(*r.partition); }},
    {'t', "StateCompact", "STATE",
     [](Row r, Out o) { o += first_node(r) ? node_state_compact(*first_node(r)) : "n/a"; },
     row_state_key},
    {'u', "User", "USER", put_reason_user},
    {'v', "Version", "VERSION",
     [](Row r, Out o) { put_or_null(r, o, [](const Node& n) { return n.facts.version.view(); }); }},
    {'w', "Weight", "WEIGHT", [](Row r, Out o) { put_least(r, o, weight); },
     [](Row r) { return least_key(r, weight); }},
    {'z', "SocketCoreThread", "S:C:T", put_sockets_cores_threads},
    {'A', "NodeAI", "NODES(A/I)",
     [](Row r, Out o) {
       CpuCounts c = node_counts(r.nodes);
       o += fmt::format("{}/{}", c.allocated, c.idle);
     },
     [](Row r) { return static_cast<std::int64_t>(node_counts(r.nodes).allocated); }},
    {'B', "MaxCPUsPerNode", "MAX_CPUS_PER_NODE",
     [](Row r, Out o) {
       o += r.partition->max_cpus_per_node ? std::to_string(*r.partition->max_cpus_per_node)
                                           : "UNLIMITED";
     }},
    {'C', "CPUsState", "CPUS(A/I/O/T)", [](Row r, Out o) { put_counts(cpu_counts(r.nodes), o); },
     [](Row r) { return static_cast<std::int64_t>(cpu_counts(r.nodes).allocated); }},
    {'D', "Nodes", "NODES", [](Row r, Out o) { o += std::to_string(r.nodes.size()); },
     [](Row r) { return static_cast<std::int64_t>(r.nodes.size()); }},
    {'E', "Reason", "REASON", put_reason},
    {'F', "NodeAIOT", "NODES(A/I/O/T)", [](Row r, Out o) { put_counts(node_counts(r.nodes), o); },
     [](Row r) { return static_cast<std::int64_t>(node_counts(r.nodes).allocated); }},
    {'G', "Gres", "GRES",
     [](Row r, Out o) { put_or_null(r, o, [](const Node& n) { return gres_of_node(n.config); }); }},
    {'H', "TimeStamp", "TIMESTAMP", put_reason_time},
    {'I', "PriorityJobFactor", "PRIO_JOB_FACTOR",
     [](Row r, Out o) { o += std::to_string(r.partition->priority_job_factor); },
     [](Row r) -> std::int64_t { return r.partition->priority_job_factor; }},
    {'L', "DefaultTime", "DEFAULTTIME",
     [](Row r, Out o) { put_limit(r.partition->default_time, "n/a", o); }},
    {'M', "PreemptMode", "PREEMPT_MODE",
     [](Row r, Out o) {
       o += r.partition->preempt_mode.empty() ? "OFF" : upper(r.partition->preempt_mode);
     }},
    {'N', "NodeList", "NODELIST",
     [](Row r, Out o) { put_names(r, o, [](const NodeConfig& c) { return c.name; }); },
     row_name_key, false, nullptr, kWholeHeader},
    {'O', "CPUsLoad", "CPU_LOAD", put_load},
    {'P', "Partition", "PARTITION", [](Row r, Out o) { o += partition_name(r, 0); }, nullptr, false,
     [](Row r, std::size_t width, Out o) { o += partition_name(r, width); }},
    {'R', "PartitionName", "PARTITION", [](Row r, Out o) { o += r.partition->name; }},
    {'S', "AllocNodes", "ALLOCNODES",
     [](Row r, Out o) { o += or_all(r.partition->allow_alloc_nodes); }},
    {'T', "StateLong", "STATE",
     [](Row r, Out o) { o += first_node(r) ? node_state_word(*first_node(r)) : "n/a"; },
     row_state_key},
    {'U', "UserLong", "USER", put_reason_user_long},
    {'V', "Cluster", "CLUSTER", [](Row, Out o) { o += "N/A"; }},  // of a federation
    {'X', "Sockets", "SOCKETS", [](Row r, Out o) { put_least(r, o, sockets); },
     [](Row r) { return least_key(r, sockets); }},
    {'Y', "Cores", "CORES", [](Row r, Out o) { put_least(r, o, cores); },
     [](Row r) { return least_key(r, cores); }},
    {'Z', "Threads", "THREADS", [](Row r, Out o) { put_least(r, o, threads); },
     [](Row r) { return least_key(r, threads); }},

    {0, "AllocMem", "ALLOCMEM",
     [](Row r, Out o) { o += std::to_string(first_node(r) ? first_node(r)->used_memory_mib : 0); }},
    {0, "Comment", "COMMENT",
     [](Row r, Out o) { put_or_null(r, o, [](const Node& n) { return n.comment.view(); }); }},
    {0, "Extra", "EXTRA",
     [](Row r, Out o) { put_or_null(r, o, [](const Node& n) { return n.extra.view(); }); }},
    {0, "GresUsed", "GRES_USED",
     [](Row r, Out o) { o += first_node(r) ? gres_used_text(*first_node(r)) : "(null)"; }},
    {0, "Port", "PORT",
     [](Row r, Out o) { o += std::to_string(first_node(r) ? first_node(r)->config.port : 0); }},
    {0, "Priority", "PRIO_TIER",
     [](Row r, Out o) { o += std::to_string(r.partition->priority_tier); }},
    {0, "StateComplete", "STATECOMPLETE",
     [](Row r, Out o) { o += first_node(r) ? lower(node_state_long(*first_node(r))) : "n/a"; }},
};

constexpr Column<NodeGroup> kPartitionOrder{0, "", "", [](Row, Out) {},
                                            [](Row row) { return row.partition_rank; }};

}  // namespace

std::span<const Column<NodeGroup>> node_columns() { return kNodeColumns; }
const Column<NodeGroup>& partition_order_column() { return kPartitionOrder; }

Grouping grouping(const Column<NodeGroup>& column) {
  constexpr std::string_view kSums[] = {"Nodes",    "NodeList", "CPUsState", "NodeAI",
                                        "NodeAIOT", "NodeHost", "NodeAddr"};
  constexpr std::string_view kRanges[] = {"CPUs",     "Memory",  "Disk",    "Weight",
                                          "Sockets",  "Cores",   "Threads", "SocketCoreThread",
                                          "CPUsLoad", "FreeMem", "Port"};
  if (std::ranges::find(kSums, column.name) != std::end(kSums)) return Grouping::sum;
  if (std::ranges::find(kRanges, column.name) != std::end(kRanges)) return Grouping::range;
  return Grouping::same;
}

}  // namespace muster::cli
