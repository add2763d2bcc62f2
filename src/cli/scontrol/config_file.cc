// Writes the configuration in force to a file, in sections.
#include "cli/scontrol/config_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text/date.h"
#include "base/text/duration.h"
#include "base/text/strings.h"
#include "io/files.h"

namespace muster::cli {

namespace {

using fmt::format;

struct Section {
  std::string_view title;
  std::vector<std::string_view> keys;
};

// In the order in which they are written; keys that are in none of them are written under OTHER.
const std::vector<Section>& sections() {
  static const std::vector<Section> kSections{
      {"CONTROL",
       {"ClusterName", "SlurmUser", "SlurmctldHost", "SlurmctldPort", "SlurmdPort", "SlurmdUser"}},
      {"LOGGING & OTHER PATHS",
       {"SlurmctldLogFile", "SlurmdLogFile", "SlurmdPidFile", "SlurmdSpoolDir", "SlurmSchedLogFile",
        "SlurmctldPidFile", "StateSaveLocation"}},
      {"ACCOUNTING",
       {"AccountingStorageBackupHost", "AccountingStorageEnforce", "AccountingStorageHost",
        "AccountingStoragePort", "AccountingStorageType", "AccountingStorageUser",
        "AccountingStoreFlags", "AcctGatherEnergyType", "AcctGatherFilesystemType",
        "AcctGatherInterconnectType", "AcctGatherNodeFreq", "AcctGatherProfileType",
        "ExtSensorsType", "ExtSensorsFreq", "JobAcctGatherFrequency", "JobAcctGatherType"}},
      {"SCHEDULING & ALLOCATION",
       {"PreemptMode", "PreemptType", "PreemptExemptTime", "PriorityType", "SchedulerParameters",
        "SchedulerTimeSlice", "SchedulerType", "SelectType", "SelectTypeParameters",
        "SlurmSchedLogLevel"}},
      {"TOPOLOGY", {"TopologyPlugin"}},
      {"TIMERS",
       {"BatchStartTimeout", "CompleteWait", "EpilogMsgTime", "GetEnvTimeout", "InactiveLimit",
        "KillWait", "MinJobAge", "SlurmctldTimeout", "SlurmdTimeout", "WaitTime"}},
      {"POWER",
       {"ResumeProgram", "ResumeRate", "ResumeTimeout", "SuspendExcNodes", "SuspendExcParts",
        "SuspendProgram", "SuspendRate", "SuspendTime", "SuspendTimeout"}},
      {"DEBUG", {"DebugFlags", "SlurmctldDebug", "SlurmdDebug"}},
      {"EPILOG & PROLOG",
       {"Epilog", "Prolog", "SrunEpilog", "SrunProlog", "TaskEpilog", "TaskProlog"}},
      {"PROCESS TRACKING", {"ProctrackType"}},
      {"RESOURCE CONFINEMENT", {"TaskPlugin", "TaskPluginParam"}},
      {"OTHER", {}}};
  return kSections;
}

// Facts about the running controller, which are in no file.
constexpr std::array<std::string_view, 6> kFacts{"BOOT_TIME",   "HASH_VAL",   "MULTIPLE_SLURMD",
                                                 "NEXT_JOB_ID", "SLURM_CONF", "SLURM_VERSION"};

std::string heading(std::string_view title, std::size_t width = 48) {
  const std::string bar(width, '#');
  return format("#\n{}\n#{:^{}}#\n{}\n", bar, title, width - 2, bar);
}

std::string quoted(std::string_view value) {
  return value.contains(' ') ? format("\"{}\"", value) : std::string(value);
}

// As in a file: without a unit, and without the number of a user.
std::string plain_value(std::string_view key, std::string_view value) {
  for (std::string_view unit : {" sec", " min", " usec", " nodes/min", " percent"})
    if (value.ends_with(unit)) value.remove_suffix(unit.size());
  if (key.ends_with("User") && value.ends_with(')')) value = value.substr(0, value.find('('));
  const bool unset = value == "(null)" || value == "(null type)" || value == "Unknown" ||
                     (key == "DefMemPerNode" && value == "UNLIMITED");
  return unset ? std::string() : quoted(value);
}

std::string setting_line(std::string_view key, std::string_view shown) {
  // In a file, defaults of jobs are keys of their own.
  if (key == "JobDefaults" && shown != "(null)") {
    std::string lines;
    for (std::string_view one : split(shown, ',')) lines += format("{}\n", one);
    return lines;
  }
  if (auto bracket = key.find('['); bracket != key.npos) key = key.substr(0, bracket);
  const std::string value = plain_value(key, shown);
  return value.empty() ? format("#{}=\n", key) : format("{}={}\n", key, value);
}

bool is_in(const Section& section, std::string_view key) {
  key = key.substr(0, key.find('['));
  return std::ranges::find(section.keys, key) != section.keys.end();
}

std::string settings_text(const wire::ConfigReply& config) {
  std::string out;
  auto line_of = [&](std::string_view key) {
    for (const auto& [name, value] : config.settings)
      if (std::string_view(name).substr(0, name.find('[')) == key) out += setting_line(name, value);
  };
  for (const Section& section : sections()) {
    out += heading(section.title);
    for (std::string_view key : section.keys) line_of(key);
    if (!section.keys.empty()) continue;
    for (const auto& [name, value] : config.settings) {
      const bool listed =
          std::ranges::any_of(sections(), [&](const Section& other) { return is_in(other, name); });
      const bool fact = std::ranges::find(kFacts, name) != kFacts.end();
      if (!name.empty() && !listed && !fact) out += setting_line(name, value);
    }
  }
  return out;
}

// " Key=value", if there is a value.
class LineText {
 public:
  LineText(std::string_view key, const Text& name) : text_(format("{}={}", key, name.view())) {}
  void add(std::string_view key, std::string_view value) {
    if (!value.empty()) text_ += format(" {}={}", key, quoted(value));
  }
  void add_number(std::string_view key, std::uint64_t value, std::uint64_t usual = 0) {
    if (value != usual) text_ += format(" {}={}", key, value);
  }
  template <class T>
  void add_number(std::string_view key, const std::optional<T>& value) {
    if (value) text_ += format(" {}={}", key, *value);
  }
  void add_limit(std::string_view key, const std::optional<Minutes>& limit) {
    if (limit) add(key, format_limit(*limit));
  }
  void add_seconds(std::string_view key, const std::optional<Seconds>& value) {
    if (value) text_ += format(" {}={}", key, value->count());
  }
  void add_yes(std::string_view key, bool value) {
    if (value) add(key, "YES");
  }
  std::string finish() const { return text_ + "\n"; }

 private:
  std::string text_;
};

std::string joined(const std::vector<Text>& names) {
  std::string out;
  for (const Text& name : names) out += (out.empty() ? "" : ",") + name.str();
  return out;
}

std::string node_line(const Node& node) {
  const NodeConfig& c = node.config;
  LineText line("NodeName", c.name);
  line.add("NodeHostName", c.hostname);
  line.add("NodeAddr", c.address);
  line.add_number("CPUs", c.cpus);
  line.add_number("Boards", c.boards, 1);
  if (c.boards > 1)
    line.add_number("SocketsPerBoard", c.sockets / c.boards);
  else
    line.add_number("Sockets", c.sockets);
  line.add_number("CoresPerSocket", c.cores_per_socket);
  line.add_number("ThreadsPerCore", c.threads_per_core);
  line.add_number("CoreSpecCount", c.cpu_spec_list.empty() ? c.core_spec_count : 0);
  line.add("CpuSpecList", c.cpu_spec_list);
  line.add("Gres", c.gres_text);
  line.add("CpuBind", c.cpu_bind);
  line.add_number("RealMemory", c.memory_mib);
  line.add_number("MemSpecLimit", c.memory_spec_limit_mib);
  line.add_number("TmpDisk", c.tmp_disk_mib);
  line.add_number("Weight", c.weight, 1);
  line.add("Feature", joined(c.features));
  line.add_number("Port", c.port);
  if (!c.state.empty() && c.state != "UNKNOWN") line.add("State", c.state);
  line.add("Reason", c.reason);
  return line.finish();
}

void add_members(LineText& line, const Partition& p, const Text& nodes) {
  line.add("AllocNodes", p.allow_alloc_nodes);
  line.add("AllowAccounts", p.allow_accounts);
  line.add("AllowGroups", p.allow_groups);
  line.add("AllowQos", p.allow_qos);
  line.add("Alternate", p.alternate);
  line.add_yes("Default", p.is_default);
  line.add_number("DefMemPerCPU", p.default_memory_per_cpu_mib);
  line.add_number("DefMemPerNode", p.default_memory_per_node_mib);
  line.add_limit("DefaultTime", p.default_time);
  line.add("DenyAccounts", p.deny_accounts);
  line.add("DenyQos", p.deny_qos);
  line.add_yes("DisableRootJobs", p.disable_root_jobs);
  line.add_yes("ExclusiveUser", p.exclusive_user);
  line.add_number("GraceTime", p.grace_time_s);
  line.add_yes("Hidden", p.hidden);
  for (std::string_view one : split(p.job_defaults, ','))
    if (const auto equals = one.find('='); equals != one.npos)
      line.add(one.substr(0, equals), one.substr(equals + 1));
  line.add_yes("LLN", p.lln);
  line.add_number("MaxCPUsPerNode", p.max_cpus_per_node);
  line.add_number("MaxMemPerCPU", p.max_memory_per_cpu_mib);
  line.add_number("MaxMemPerNode", p.max_memory_per_node_mib);
  line.add_number("MaxNodes", p.max_nodes);
  line.add_limit("MaxTime", p.max_time);
  line.add_number("MinNodes", p.min_nodes);
  line.add("Nodes", nodes);
}

std::string partition_line(const wire::PartitionView& view) {
  static constexpr std::string_view kStates[] = {"UP", "DOWN", "DRAIN", "INACTIVE"};
  constexpr std::uint32_t kUnlimitedCount = 0xffffffffu;
  const Partition& p = view.partition;
  LineText line("PartitionName", p.name);
  add_members(line, p, view.nodes);
  if (p.over_time_limit == kUnlimitedCount)
    line.add("OverTimeLimit", "UNLIMITED");
  else if (p.over_time_limit)
    line.add("OverTimeLimit", std::to_string(*p.over_time_limit));
  line.add("PreemptMode", p.preempt_mode);
  line.add_number("PriorityJobFactor", p.priority_job_factor, 1);
  line.add_number("PriorityTier", p.priority_tier, 1);
  line.add("QOS", p.qos);
  line.add_yes("ReqResv", p.req_resv);
  line.add_yes("RootOnly", p.root_only);
  line.add("SelectTypeParameters", p.select_type_parameters);
  if (p.oversubscribe != "NO") line.add("OverSubscribe", p.oversubscribe);
  line.add("State", kStates[static_cast<std::size_t>(p.state)]);
  line.add("TRESBillingWeights", p.tres_billing_weights);
  line.add("CpuBind", p.cpu_bind);
  line.add_seconds("ResumeTimeout", p.power.resume_timeout);
  line.add_seconds("SuspendTimeout", p.power.suspend_timeout);
  if (p.power.stays_on)
    line.add("SuspendTime", "INFINITE");
  else
    line.add_seconds("SuspendTime", p.power.suspend_time);
  line.add_yes("PowerDownOnIdle", p.power.down_on_idle);
  return line.finish();
}

}  // namespace

std::string config_setting(const wire::ConfigReply& config, std::string_view key) {
  for (const auto& [name, value] : config.settings)
    if (name == key) return value;
  return {};
}

std::vector<std::string> qos_lines_of(std::string_view slurm_conf) {
  std::vector<std::string> lines;
  for (std::string_view line : split(slurm_conf, '\n'))
    if (istarts_with(trim(line), "QoS=")) lines.emplace_back(trim(line));
  return lines;
}

std::string config_file_text(const wire::ConfigReply& config,
                             const std::vector<std::string>& qos_lines,
                             const wire::NodesReply& nodes,
                             const wire::PartitionsReply& partitions) {
  const std::string title = format("  Configuration file for Slurm - {}  ", format_date(nodes.now));
  std::string out = heading(title, title.size() + 2).substr(2) + "#\n#\n";
  out += settings_text(config);
  if (!qos_lines.empty()) out += heading("QOS");
  for (const std::string& line : qos_lines) out += line + "\n";
  out += heading("NODES");
  for (const wire::NodeView& view : nodes.nodes)
    if (!view.node->config.dynamic) out += node_line(*view.node);
  out += heading("PARTITIONS");
  for (const wire::PartitionView& view : partitions.partitions) out += partition_line(view);
  return out;
}

void write_config(ScontrolSession& session, std::string path) {
  auto config = session.ask_for<wire::ConfigReply>(wire::ConfigRequest{});
  if (!config) return session.error("slurm_load_ctl_conf error: {}", config.error().text());
  auto nodes = session.ask_for<wire::NodesReply>(wire::NodesRequest{});
  if (!nodes) return session.error("slurm_load_node error: {}", nodes.error().text());
  auto partitions = session.ask_for<wire::PartitionsReply>(wire::PartitionsRequest{});
  if (!partitions)
    return session.error("slurm_load_partitions error: {}", partitions.error().text());
  const std::string own = config_setting(*config, "SLURM_CONF");
  const auto own_text = io::read_file(own);
  if (path.empty()) path = own;
  path += "." + format_date(nodes->now);
  const std::string text =
      config_file_text(*config, qos_lines_of(own_text.value_or("")), *nodes, *partitions);
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return session.error("Could not create file {}: {}", path, std::strerror(errno));
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  if (std::fclose(file) != 0 || !written)
    return session.error("Could not create file {}: {}", path, std::strerror(errno));
  if (!session.quiet) fmt::print("Slurm config saved to {}\n", path);
}

}  // namespace muster::cli
