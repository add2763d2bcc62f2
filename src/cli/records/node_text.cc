// scontrol show node and show config, and texts that several records share.
#include <algorithm>

#include <fmt/format.h>

#include "base/text/date.h"
#include "cli/records/node_row.h"
#include "cli/records/record_layout.h"
#include "cli/tables/ranges.h"
#include "model/node/spec_cores.h"

namespace muster::cli {

namespace {

using fmt::format;

void add_kept(const NodeGroup& group, RecordLines& lines) {
  const NodeConfig& config = group.first()->config;
  const IdSet kept = spec_cpus(config);
  std::string special;
  if (!kept.empty())
    special = format("CoreSpecCount={} CPUSpecList={} ", kept.size() / cpus_per_core(config),
                     kept.text());
  if (config.memory_spec_limit_mib > 0)
    special += format("MemSpecLimit={}", config.memory_spec_limit_mib);
  if (!special.empty()) lines.add(special);
}

constexpr ShownLine<NodeGroup> kNodeLines[] = {
    {"NodeName Arch CpuBind CoresPerSocket "},
    {"CPUAlloc CPUEfctv CPUTot CPULoad"},
    {"AvailableFeatures"},
    {"ActiveFeatures"},
    {"Gres"},
    {"GresDrain", true},
    {"GresUsed", true},
    {"NodeAddr NodeHostName Port Version"},
    {"OS "},
    {"RealMemory AllocMem FreeMem Sockets Boards"},
    {"", false, add_kept},
    {"State ThreadsPerCore TmpDisk Weight Owner MCS_label"},
    {"NextState"},
    {"Partitions "},
    {"BootTime SlurmdStartTime"},
    {"LastBusyTime"},
    {"CfgTRES"},
    {"AllocTRES"},
    {"CapWatts"},
    {"CurrentWatts AveWatts"},
    {"ExtSensorsJoules ExtSensorsWatts ExtSensorsTemp"},
    {"Reason"},
    {"Comment"},
    {"Extra"},
};

}  // namespace

std::string_view or_null(std::string_view text) { return text.empty() ? "(null)" : text; }

std::string gres_text(const std::vector<GresShare>& gres, bool with_indices) {
  std::string out;
  for (const GresShare& share : gres) {
    if (!out.empty()) out += ',';
    out += share.name.view();
    if (!share.type.empty()) out += format(":{}", share.type.view());
    const IdSet& shown = share.devices.empty() ? share.indices : share.devices;
    if (with_indices && shown.empty() && share.count > 0) {  // gres that are only counted
      out += format("(CNT:{})", share.count);
      continue;
    }
    out += format(":{}", share.count);
    if (with_indices) out += format("(IDX:{})", shown.empty() ? "N/A" : ranges_text(shown));
  }
  return out;
}

std::string node_text(const wire::NodeView& view, const ShowStyle& style) {
  static const RecordLayout<NodeGroup> layout(node_fields(), kNodeLines);
  const NodeGroup group{.context = &style.context, .nodes = {&view}};
  RecordLines lines(style);
  layout.append(group, style, lines);
  return lines.finish(false);
}

std::string config_text(const wire::ConfigReply& config, Time now) {
  std::string out = format("Configuration data as of {}\n", format_date(now));
  for (const auto& [key, value] : config.settings)
    out += key.empty() ? value + "\n" : format("{:<23} = {}\n", key, value);
  return out + "\n";
}

}  // namespace muster::cli
