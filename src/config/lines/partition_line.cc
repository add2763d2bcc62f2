// Reads PartitionName and QoS lines.
#include "config/lines/partition_line.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "config/keys/keys.h"
#include "config/lines/line_reader.h"
#include "model/binding/cpu_bind.h"

namespace muster::config {

namespace {

constexpr std::array<std::string_view, 44> kPartitionKeys{"PartitionName",
                                                          "AllocNodes",
                                                          "AllowAccounts",
                                                          "AllowGroups",
                                                          "AllowQos",
                                                          "Alternate",
                                                          "Default",
                                                          "DefaultTime",
                                                          "DefCpuPerGPU",
                                                          "DefMemPerCPU",
                                                          "DefMemPerGPU",
                                                          "DefMemPerNode",
                                                          "DenyAccounts",
                                                          "DenyQos",
                                                          "DisableRootJobs",
                                                          "ExclusiveUser",
                                                          "GraceTime",
                                                          "Hidden",
                                                          "LLN",
                                                          "MaxCPUsPerNode",
                                                          "MaxMemPerCPU",
                                                          "MaxMemPerNode",
                                                          "MaxNodes",
                                                          "MaxTime",
                                                          "MinNodes",
                                                          "Nodes",
                                                          "OverSubscribe",
                                                          "OverTimeLimit",
                                                          "PreemptMode",
                                                          "PriorityJobFactor",
                                                          "PriorityTier",
                                                          "QOS",
                                                          "ReqResv",
                                                          "RootOnly",
                                                          "SelectTypeParameters",
                                                          "State",
                                                          "TRESBillingWeights",
                                                          "CpuBind",
                                                          "ResumeTimeout",
                                                          "SuspendTime",
                                                          "SuspendTimeout",
                                                          "MaxCPUsPerSocket",
                                                          "PowerDownOnIdle",
                                                          "Topology"};
constexpr std::array<std::string_view, 2> kIgnoredKeys{"MaxCPUsPerSocket", "Topology"};

bool is_none(std::string_view text) {
  return text.empty() || iequals(text, "UNLIMITED") || iequals(text, "INFINITE") || text == "-1";
}

// The line's values by the main spelling of their keys: "Shared" is the old name of OverSubscribe,
// and "Priority" once set both priority factors.
Result<Values> partition_values(const Line& line, std::vector<std::string>& ignored) {
  Values values;
  for (const Setting& setting : line.settings) {
    if (iequals(setting.key, "Priority")) {
      values["PriorityJobFactor"] = values["PriorityTier"] = setting.value;
      continue;
    }
    if (iequals(setting.key, "ExclusiveTopo")) {
      ignored.push_back("PartitionName ExclusiveTopo");
      continue;
    }
    std::string_view key = setting.key;
    if (iequals(key, "Shared")) key = "OverSubscribe";
    auto same = [&](std::string_view known) { return iequals(known, key); };
    auto known = std::ranges::find_if(kPartitionKeys, same);
    if (known == kPartitionKeys.end())
      return invalid(line.at, fmt::format("{}: not a key of a PartitionName line", setting.key));
    if (std::ranges::any_of(kIgnoredKeys, same))
      ignored.push_back(fmt::format("PartitionName {}", *known));
    values[std::string(*known)] = setting.value;
  }
  return values;
}

class PartitionReader : public LineReader {
 public:
  using LineReader::LineReader;

  // A list of names, or ALL.
  std::string who(std::string_view key) const {
    std::string value = text(key);
    return iequals(value, "ALL") ? std::string() : value;
  }
  bool yes_no(std::string_view key) {
    if (text(key).empty()) return false;
    return parsed(key, parse_yes_no, "YES or NO").value_or(false);
  }
  std::optional<std::uint32_t> number(std::string_view key) {
    if (is_none(text(key))) return std::nullopt;
    return parsed(key, parse_number<std::uint32_t>, "a number or UNLIMITED");
  }
  // The time that jobs get beyond their share; none by default.
  std::uint32_t extra_time(std::string_view key) {
    const std::string value = text(key);
    if (value == "-1") reject(key, "a number or UNLIMITED");
    return value.empty() ? 0 : number(key).value_or(0xffffffffu);
  }
  std::optional<std::uint64_t> memory(std::string_view key) {
    if (is_none(text(key))) return std::nullopt;
    auto mib = parsed(key, parse_mib, "a number of megabytes or UNLIMITED");
    return mib == 0 ? std::nullopt : mib;
  }
  std::optional<Minutes> limit(std::string_view key) {
    if (is_none(text(key)) || iequals(text(key), "NONE")) return std::nullopt;
    return parsed(key, parse_time_limit, "minutes, hours:minutes:seconds, days-hours or UNLIMITED");
  }
};

std::string oversubscribe(PartitionReader& reader) {
  auto value = parse_oversubscribe(reader.text("OverSubscribe"));
  if (!value) reader.reject("OverSubscribe", "NO, EXCLUSIVE, YES[:count] or FORCE[:count]");
  return value.value_or(OverSubscribe{}).text();
}

PartitionState state(PartitionReader& reader) {
  std::string value = upper(reader.text("State"));
  if (value.empty() || value == "UP") return PartitionState::up;
  if (value == "DOWN") return PartitionState::down;
  if (value == "DRAIN") return PartitionState::drain;
  if (value != "INACTIVE") reader.reject("State", "UP, DOWN, DRAIN or INACTIVE");
  return PartitionState::inactive;
}

std::string checked_by(PartitionReader& reader, std::string_view key, const Location& at) {
  std::string value = reader.text(key);
  if (value.empty()) return value;
  const Key* known = find_key(key);
  if (auto ok = check_value(*known, at, {std::string(key), value}); !ok) {
    reader.reject(key, ok.error().detail.substr(ok.error().detail.rfind("expected ") + 9));
    return value;
  }
  return shown_value(*known, value);
}

// Whether jobs can be charged for the resource; devices and licenses always can.
bool is_billed(std::string_view name) {
  constexpr std::string_view kNames[] = {"billing", "cpu",  "energy", "fs/disk",
                                         "mem",     "node", "pages",  "vmem"};
  return std::ranges::any_of(kNames,
                             [&](std::string_view known) { return iequals(name, known); }) ||
         istarts_with(name, "gres/") || istarts_with(name, "license/");
}

bool is_weight(std::string_view part) {
  auto equals = part.find('=');
  if (equals == part.npos || equals == 0) return false;
  std::string_view text = part.substr(equals + 1);
  double weight = 0;
  auto [rest, error] = std::from_chars(text.data(), text.data() + text.size(), weight);
  std::string_view unit(rest, static_cast<std::size_t>(text.data() + text.size() - rest));
  return is_billed(trim(part.substr(0, equals))) && error == std::errc{} && std::isfinite(weight) &&
         (unit.empty() || (unit.size() == 1 && std::string_view("KMGTkmgt").contains(unit[0])));
}

std::string billing_weights(PartitionReader& reader) {
  constexpr std::string_view kKey = "TRESBillingWeights";
  std::string value = reader.text(kKey);
  if (!value.empty() && !are_billing_weights(value))
    reader.reject(kKey, "weights of resources such as CPU=1.0,Mem=0.25G,GRES/gpu=2");
  return value;
}

std::string job_defaults(PartitionReader& reader) {
  std::vector<std::string> parts;
  if (auto cpus = reader.number("DefCpuPerGPU"))
    parts.push_back(fmt::format("DefCpuPerGPU={}", *cpus));
  if (auto mib = reader.memory("DefMemPerGPU"))
    parts.push_back(fmt::format("DefMemPerGPU={}", *mib));
  return join(parts, ",");
}

void read_limits(PartitionReader& reader, Partition& p) {
  p.max_time = reader.limit("MaxTime");
  p.default_time = reader.limit("DefaultTime");
  p.min_nodes = reader.number("MinNodes").value_or(0);
  p.max_nodes = reader.number("MaxNodes");
  p.max_cpus_per_node = reader.number("MaxCPUsPerNode");
  p.default_memory_per_cpu_mib = reader.memory("DefMemPerCPU");
  p.default_memory_per_node_mib = reader.memory("DefMemPerNode");
  p.max_memory_per_cpu_mib = reader.memory("MaxMemPerCPU");
  p.max_memory_per_node_mib = reader.memory("MaxMemPerNode");
  p.priority_job_factor = reader.number("PriorityJobFactor").value_or(1);
  p.priority_tier = reader.number("PriorityTier").value_or(1);
  p.grace_time_s = reader.extra_time("GraceTime");
  if (!reader.text("OverTimeLimit").empty()) p.over_time_limit = reader.extra_time("OverTimeLimit");
}

std::optional<Seconds> seconds(PartitionReader& reader, std::string_view key) {
  auto number = reader.number(key);
  if (!number) return std::nullopt;
  return Seconds{*number};
}

PartitionPower read_power(PartitionReader& reader) {
  PartitionPower power;
  power.suspend_time = seconds(reader, "SuspendTime");
  power.suspend_timeout = seconds(reader, "SuspendTimeout");
  power.resume_timeout = seconds(reader, "ResumeTimeout");
  power.stays_on = !reader.text("SuspendTime").empty() && is_none(reader.text("SuspendTime"));
  power.down_on_idle = reader.yes_no("PowerDownOnIdle");
  return power;
}

void read_access(PartitionReader& reader, Partition& p) {
  p.is_default = reader.yes_no("Default");
  p.hidden = reader.yes_no("Hidden");
  p.root_only = reader.yes_no("RootOnly");
  p.exclusive_user = reader.yes_no("ExclusiveUser");
  p.lln = reader.yes_no("LLN");
  p.disable_root_jobs = reader.yes_no("DisableRootJobs");
  p.req_resv = reader.yes_no("ReqResv");
  p.allow_groups = reader.who("AllowGroups");
  p.allow_accounts = reader.who("AllowAccounts");
  p.allow_qos = reader.who("AllowQos");
  p.allow_alloc_nodes = reader.who("AllocNodes");
  p.deny_accounts = reader.text("DenyAccounts");
  p.deny_qos = reader.text("DenyQos");
}

Result<Partition> partition_of(const Location& at, const Values& values) {
  PartitionReader reader(at, values);
  Partition p;
  p.name = reader.text("PartitionName");
  p.nodes_text = reader.text("Nodes");
  p.state = state(reader);
  read_limits(reader, p);
  read_access(reader, p);
  p.power = read_power(reader);
  p.qos = reader.text("QOS");
  p.alternate = reader.text("Alternate");
  p.oversubscribe = oversubscribe(reader);
  p.preempt_mode = checked_by(reader, "PreemptMode", at);
  p.select_type_parameters = checked_by(reader, "SelectTypeParameters", at);
  p.job_defaults = job_defaults(reader);
  p.tres_billing_weights = billing_weights(reader);
  if (auto bind = parse_default_cpu_bind(reader.text("CpuBind")))
    p.cpu_bind = *bind;
  else
    reader.reject("CpuBind", "none, sockets, ldoms, cores, threads or off");
  if (auto done = reader.done(); !done) return std::unexpected(done.error());
  return p;
}

bool has_feature(const NodeConfig& node, std::string_view feature) {
  return std::ranges::any_of(node.features, [&](const Text& f) { return f == feature; });
}

void add_set(const NodeSet& set, const std::vector<ConfiguredNode>& nodes,
             std::set<std::string_view>& members) {
  members.insert(set.nodes.begin(), set.nodes.end());
  if (set.feature.empty()) return;
  for (const ConfiguredNode& node : nodes)
    if (has_feature(node.node, set.feature)) members.insert(node.node.name.view());
}

}  // namespace

bool are_billing_weights(std::string_view text) {
  return std::ranges::all_of(split(text, ','), is_weight);
}

Result<void> PartitionLines::add(const Line& line) {
  auto given = partition_values(line, ignored);
  if (!given) return std::unexpected(given.error());
  std::string name = given->at("PartitionName");
  if (iequals(name, "DEFAULT")) {
    given->erase("PartitionName");
    for (auto& [key, value] : *given) defaults_[key] = value;
    return {};
  }
  given->insert(defaults_.begin(), defaults_.end());
  for (const ConfiguredPartition& other : partitions)
    if (other.partition.name == name)
      return invalid(line.at,
                     fmt::format("PartitionName={}: the partition is already defined at {}", name,
                                 other.at.text()));
  auto partition = partition_of(line.at, *given);
  if (!partition) return std::unexpected(partition.error());
  // If several partitions are marked as default, the last one is.
  if (partition->is_default)
    for (ConfiguredPartition& other : partitions) other.partition.is_default = false;
  partitions.push_back({line.at, std::move(*partition), {}, given->contains("DisableRootJobs")});
  return {};
}

Result<void> PartitionLines::finish(const std::vector<ConfiguredNode>& nodes,
                                    const std::vector<NodeSet>& sets) {
  std::set<std::string_view> known;
  for (const ConfiguredNode& node : nodes) known.insert(node.node.name.view());
  for (ConfiguredPartition& entry : partitions) {
    Setting setting{"Nodes", entry.partition.nodes_text.str()};
    auto names = expand_hostlist(setting.value);
    if (!names) return wrong_value(entry.at, setting, names.error().text());
    std::set<std::string_view> members;
    for (const std::string& name : *names) {
      auto set = std::ranges::find_if(sets, [&](const NodeSet& s) { return s.name == name; });
      if (name == "ALL")
        members = known;
      else if (set != sets.end())
        add_set(*set, nodes, members);
      else if (known.contains(name))
        members.insert(name);
      else
        return invalid(entry.at, fmt::format("PartitionName={}: there is no node or node set {}",
                                             entry.partition.name.view(), name));
    }
    for (const ConfiguredNode& node : nodes)
      if (members.contains(node.node.name.view())) entry.node_names.push_back(node.node.name);
  }
  return {};
}

Result<Qos> parse_qos_line(const Line& line) {
  Qos qos;
  for (const Setting& setting : line.settings) {
    if (iequals(setting.key, "QoS")) {
      qos.name = setting.value;
      continue;
    }
    auto known = set_qos_value(qos, setting.key, setting.value);
    if (!known) return bad_value(line.at, setting, known.error().text());
    if (!*known) return invalid(line.at, fmt::format("{}: not a key of a QoS line", setting.key));
  }
  return qos;
}

}  // namespace muster::config
