#include "config/cluster_config.h"

#include <algorithm>

#include "base/duration.h"
#include "base/size.h"
#include "base/strings.h"

namespace muster::config {

namespace {

std::uint32_t number(const SlurmConf& slurm, std::string_view key) {
  return parse_number<std::uint32_t>(slurm.value(key)).value_or(0xffffffffu);
}

// 0 and UNLIMITED set no bound.
std::optional<std::uint64_t> memory(const SlurmConf& slurm, std::string_view key) {
  auto mib = parse_mib(slurm.value(key));
  return mib == 0 ? std::nullopt : mib;
}

bool is_yes(std::string_view text) {
  return text == "1" || iequals(text, "yes") || iequals(text, "true");
}

void set_selection(const SlurmConf& slurm, Settings& settings) {
  settings.whole_nodes = iequals(slurm.value("SelectType"), "select/linear");
  std::string parameters = upper(slurm.value("SelectTypeParameters"));
  settings.memory_is_consumable = parameters.find("MEMORY") != parameters.npos;
  settings.use_core_granularity = parameters.find("CR_CPU") == parameters.npos;
  settings.whole_sockets = parameters.find("CR_SOCKET") != parameters.npos;
  settings.least_loaded = parameters.find("CR_LLN") != parameters.npos;
}

std::vector<std::pair<Text, double>> weights(std::string_view text) {
  std::vector<std::pair<Text, double>> list;
  for (std::string_view item : split(text, ',')) {
    auto equal = item.find('=');
    if (equal == item.npos) continue;
    auto weight = parse_number<std::uint32_t>(trim(item.substr(equal + 1)));
    if (weight) list.emplace_back(lower(trim(item.substr(0, equal))), *weight);
  }
  return list;
}

PrioritySettings priority_of(const SlurmConf& slurm) {
  PrioritySettings p;
  p.multifactor = iequals(slurm.value("PriorityType"), "priority/multifactor");
  p.age = number(slurm, "PriorityWeightAge");
  p.association = number(slurm, "PriorityWeightAssoc");
  p.fair_share = number(slurm, "PriorityWeightFairShare");
  p.job_size = number(slurm, "PriorityWeightJobSize");
  p.partition = number(slurm, "PriorityWeightPartition");
  p.qos = number(slurm, "PriorityWeightQOS");
  p.tres = weights(slurm.value("PriorityWeightTRES"));
  p.max_age = parse_duration(slurm.value("PriorityMaxAge")).value_or(p.max_age);
  p.favor_small = is_yes(slurm.value("PriorityFavorSmall"));
  std::string flags = upper(slurm.value("PriorityFlags"));
  p.size_by_time = flags.find("SMALL_RELATIVE_TO_TIME") != flags.npos;
  p.no_normal_part =
      flags.find("NO_NORMAL_PART") != flags.npos || flags.find("NO_NORMAL_ALL") != flags.npos;
  p.no_normal_qos =
      flags.find("NO_NORMAL_QOS") != flags.npos || flags.find("NO_NORMAL_ALL") != flags.npos;
  return p;
}

PreemptSettings preempt_of(const SlurmConf& slurm) {
  PreemptSettings p;
  std::string type = lower(slurm.value("PreemptType"));
  if (type == "preempt/partition_prio") p.type = PreemptType::partition_priority;
  if (type == "preempt/qos") p.type = PreemptType::qos;
  p.mode = parse_preempt_mode(slurm.value("PreemptMode")).value_or(PreemptMode::off);
  p.exempt_time = parse_duration(slurm.value("PreemptExemptTime")).value_or(Seconds{0});
  p.youngest_first = slurm.option("PreemptParameters", "youngest_first").has_value() ||
                     slurm.option("SchedulerParameters", "preempt_youngest_first").has_value();
  p.send_user_signal = slurm.option("PreemptParameters", "send_user_signal").has_value();
  return p;
}

SitePrograms programs_of(const SlurmConf& slurm) {
  auto flag = [&](std::string_view name) {
    return std::ranges::any_of(slurm.prolog_flags,
                               [&](const std::string& word) { return iequals(word, name); });
  };
  SitePrograms programs;
  programs.prolog = !slurm.prolog.empty();
  programs.epilog = !slurm.epilog.empty();
  programs.contain = flag("Contain");
  programs.prolog_at_start = programs.prolog && (programs.contain || flag("Alloc"));
  programs.prolog_slurmctld = !slurm.prolog_slurmctld.empty();
  programs.epilog_slurmctld = !slurm.epilog_slurmctld.empty();
  return programs;
}

void set_meeting_ports(const SlurmConf& slurm, Settings& s) {
  std::string ports(slurm.value("RendezvousPorts"));
  auto dash = ports.find('-');
  s.first_meeting_port =
      parse_number<std::uint32_t>(ports.substr(0, dash)).value_or(s.first_meeting_port);
  s.last_meeting_port =
      parse_number<std::uint32_t>(ports.substr(dash + 1)).value_or(s.last_meeting_port);
}

Settings settings_of(const SlurmConf& slurm) {
  Settings s;
  s.cluster_name = slurm.cluster_name;
  s.kill_wait = slurm.kill_wait;
  s.min_job_age = slurm.min_job_age;
  s.slurmd_timeout = slurm.slurmd_timeout;
  s.inactive_limit = slurm.inactive_limit;
  s.complete_wait = slurm.complete_wait;
  s.first_job_id = number(slurm, "FirstJobId");
  s.max_job_id = number(slurm, "MaxJobId");
  s.max_job_count = number(slurm, "MaxJobCount");
  s.max_array_size = number(slurm, "MaxArraySize");
  s.max_step_count = number(slurm, "MaxStepCount");
  s.return_to_service = number(slurm, "ReturnToService");
  s.job_requeue = is_yes(slurm.value("JobRequeue"));
  set_selection(slurm, s);
  std::string limits = upper(slurm.value("EnforcePartLimits"));
  s.enforce_part_limits = limits == "YES" ? "ALL" : limits;
  s.default_memory_per_cpu_mib = memory(slurm, "DefMemPerCPU");
  s.default_memory_per_node_mib = memory(slurm, "DefMemPerNode");
  s.max_memory_per_cpu_mib = memory(slurm, "MaxMemPerCPU");
  s.max_memory_per_node_mib = memory(slurm, "MaxMemPerNode");
  s.over_time_limit_min = number(slurm, "OverTimeLimit");
  s.config_overrides = slurm.option("SlurmdParameters", "config_overrides").has_value();
  s.kill_on_invalid_dependency =
      slurm.option("DependencyParameters", "kill_invalid_depend").has_value() ||
      slurm.option("SchedulerParameters", "kill_invalid_depend").has_value();
  s.enforce_associations = slurm.enforce_associations;
  s.enforce_qos = slurm.enforce_qos;
  for (const std::string& type : slurm.gres_types) s.gres_types.emplace_back(type);
  for (const License& license : slurm.licenses)
    s.licenses.emplace_back(license.name, license.count);
  s.job_file_append = slurm.value("JobFileAppend");
  s.priority = priority_of(slurm);
  s.preempt = preempt_of(slurm);
  s.backfill = !iequals(slurm.value("SchedulerType"), "sched/builtin");
  s.requeue_exits = IdSet::parse(slurm.value("RequeueExit"), 255).value_or(IdSet{});
  s.requeue_exits_held = IdSet::parse(slurm.value("RequeueExitHold"), 255).value_or(IdSet{});
  s.accounting = !iequals(slurm.accounting_storage_type, "accounting_storage/none");
  s.programs = programs_of(slurm);
  set_meeting_ports(slurm, s);
  return s;
}

}  // namespace

Result<ClusterConfig> cluster_config(const SlurmConf& slurm, const GresConf& gres) {
  ClusterConfig config;
  config.settings = settings_of(slurm);
  for (const ConfiguredNode& entry : slurm.nodes) {
    NodeConfig node = entry.node;
    if (node.port == 0) node.port = slurm.slurmd_port;
    auto pools = gres_pools(node, gres);
    if (!pools) return invalid(entry.at, pools.error().detail);
    node.gres = std::move(*pools);
    config.nodes.push_back(std::move(node));
  }
  for (const ConfiguredPartition& entry : slurm.partitions) {
    config.partitions.push_back(entry.partition);
    config.partition_nodes.push_back(entry.node_names);
  }
  config.qos = slurm.qos;
  return config;
}

}  // namespace muster::config
