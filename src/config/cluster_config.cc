#include "config/cluster_config.h"

#include <algorithm>

#include "base/text/duration.h"
#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "base/text/strings.h"
#include "config/keys/keys.h"
#include "config/scheduling_settings.h"

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

bool is_yes(std::string_view text) { return parse_yes_no(text).value_or(false); }

void set_selection(const SlurmConf& slurm, Settings& settings) {
  settings.whole_nodes = iequals(slurm.value("SelectType"), "select/linear");
  std::string parameters = upper(slurm.value("SelectTypeParameters"));
  settings.memory_is_consumable = parameters.find("MEMORY") != parameters.npos;
  settings.use_core_granularity = parameters.find("CR_CPU") == parameters.npos;
  settings.whole_sockets = parameters.find("CR_SOCKET") != parameters.npos;
  settings.one_task_per_core = parameters.find("CR_ONE_TASK_PER_CORE") != parameters.npos;
  settings.least_loaded = parameters.find("CR_LLN") != parameters.npos;
  settings.cores_in_blocks = parameters.find("CR_CORE_DEFAULT_DIST_BLOCK") != parameters.npos;
  settings.pack_nodes = parameters.find("CR_PACK_NODES") != parameters.npos;
  settings.spec_cores_by_jobs = is_yes(slurm.value("AllowSpecResourcesUsage"));
  settings.reservation_overrun =
      parse_time_limit(slurm.value("ResvOverRun")).value_or(settings.reservation_overrun);
}

UsageReset usage_reset(std::string_view text) {
  constexpr std::pair<std::string_view, UsageReset> kPeriods[] = {
      {"NOW", UsageReset::now},
      {"DAILY", UsageReset::daily},
      {"WEEKLY", UsageReset::weekly},
      {"MONTHLY", UsageReset::monthly},
      {"QUARTERLY", UsageReset::quarterly},
      {"YEARLY", UsageReset::yearly}};
  for (const auto& [name, period] : kPeriods)
    if (iequals(text, name)) return period;
  return UsageReset::none;
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
  p.tres = parse_tres_weights(slurm.value("PriorityWeightTRES")).value_or(p.tres);
  p.max_age = parse_duration(slurm.value("PriorityMaxAge")).value_or(p.max_age);
  p.favor_small = is_yes(slurm.value("PriorityFavorSmall"));
  const std::string text = slurm.value("PriorityFlags");
  auto flag = [words = split(text, ',')](std::string_view name) {
    return std::ranges::any_of(words, [&](auto word) { return iequals(trim(word), name); });
  };
  p.size_by_time = flag("SMALL_RELATIVE_TO_TIME");
  const bool as_they_are = flag("NO_NORMAL_ALL");
  p.no_normal_part = as_they_are || flag("NO_NORMAL_PART");
  p.no_normal_qos = as_they_are || flag("NO_NORMAL_QOS");
  p.no_normal_assoc = as_they_are || flag("NO_NORMAL_ASSOC");
  p.no_normal_tres = as_they_are || flag("NO_NORMAL_TRES");
  p.accrue_always = flag("ACCRUE_ALWAYS");
  p.max_tres = flag("MAX_TRES");
  p.increase_only = flag("INCR_ONLY");
  p.of_running = flag("CALCULATE_RUNNING");
  p.shares.half_life = parse_duration(slurm.value("PriorityDecayHalfLife")).value_or(Seconds{0});
  p.shares.calc_period = parse_duration(slurm.value("PriorityCalcPeriod")).value_or(Seconds{300});
  p.shares.reset = usage_reset(slurm.value("PriorityUsageResetPeriod"));
  p.shares.depth_oblivious = flag("DEPTH_OBLIVIOUS");
  p.shares.fair_tree = !p.shares.depth_oblivious && !flag("NO_FAIR_TREE");
  p.shares.dampening = std::max(1u, number(slurm, "FairShareDampeningFactor"));
  return p;
}

SitePrograms programs_of(const SlurmConf& slurm) {
  SitePrograms programs;
  programs.prolog = !slurm.prolog.empty();
  programs.epilog = !slurm.epilog.empty();
  programs.contain = slurm.has_prolog_flag("Contain");
  programs.force_requeue = slurm.has_prolog_flag("ForceRequeueOnFail");
  programs.defer_batch = programs.prolog && slurm.has_prolog_flag("DeferBatch");
  programs.prolog_at_start =
      programs.prolog && (programs.defer_batch || slurm.has_prolog_flag("Alloc"));
  programs.prolog_slurmctld = !slurm.prolog_slurmctld.empty();
  programs.epilog_slurmctld = !slurm.epilog_slurmctld.empty();
  programs.reservation_prolog = !slurm.value("ResvProlog").empty();
  programs.reservation_epilog = !slurm.value("ResvEpilog").empty();
  return programs;
}

HealthCheck health_check_of(const SlurmConf& slurm) {
  HealthCheck check;
  if (slurm.health_check_program.empty()) return check;
  check.interval = slurm.health_check_interval;
  std::string states = slurm.value("HealthCheckNodeState");
  auto named = [&](std::string_view name) {
    return std::ranges::any_of(split(states, ','),
                               [&](std::string_view word) { return iequals(trim(word), name); });
  };
  check.alloc = named("ALLOC");
  check.idle = named("IDLE");
  check.mixed = named("MIXED");
  check.nondrained_idle = named("NONDRAINED_IDLE");
  check.cycle = named("CYCLE");
  check.any = named("ANY") || !(check.alloc || check.idle || check.mixed || check.nondrained_idle);
  if (named("START_ONLY")) check.interval = Seconds{0};
  return check;
}

// Hosts and partitions that stay on. What is no host list is a name like any other.
std::vector<Text> names_of(std::string_view list) {
  std::vector<Text> names;
  auto expanded = expand_hostlist(list);
  if (!expanded) return {Text(list)};
  for (const std::string& name : *expanded) names.emplace_back(name);
  return names;
}

PowerSettings power_of(const SlurmConf& slurm) {
  PowerSettings power;
  power.saving = !slurm.suspend_program.empty() && !slurm.resume_program.empty();
  // INFINITE and -1 are no numbers: idle nodes stay on.
  if (auto idle = parse_number<std::int64_t>(slurm.value("SuspendTime")); idle && *idle >= 0)
    power.suspend_time = Seconds{*idle};
  power.suspend_timeout = Seconds{number(slurm, "SuspendTimeout")};
  power.resume_timeout = Seconds{number(slurm, "ResumeTimeout")};
  power.down_grace = Seconds{number(slurm, "PowerDownGrace")};
  power.suspend_rate = number(slurm, "SuspendRate");
  power.resume_rate = number(slurm, "ResumeRate");
  power.tells_failures = !slurm.value("ResumeFailProgram").empty();
  power.except_nodes = names_of(slurm.value("SuspendExcNodes"));
  power.except_partitions = names_of(slurm.value("SuspendExcParts"));
  return power;
}

void set_meeting_ports(const SlurmConf& slurm, Settings& s) {
  std::string ports(slurm.value("RendezvousPorts"));
  auto dash = ports.find('-');
  s.first_meeting_port =
      parse_number<std::uint32_t>(ports.substr(0, dash)).value_or(s.first_meeting_port);
  s.last_meeting_port =
      parse_number<std::uint32_t>(ports.substr(dash + 1)).value_or(s.last_meeting_port);
}

PrivateData private_data_of(const SlurmConf& slurm) {
  auto has = [&](std::string_view word) { return slurm.option("PrivateData", word).has_value(); };
  return {.jobs = has("jobs"),
          .nodes = has("nodes"),
          .partitions = has("partitions"),
          .reservations = has("reservations"),
          .usage = has("usage")};
}

// TaskPluginParam: one of its words may say how tasks are bound.
Text default_cpu_bind(const SlurmConf& slurm) {
  for (std::string_view kind : {"none", "sockets", "cores", "threads"})
    if (slurm.option("TaskPluginParam", kind)) return Text(kind);
  return {};
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
  if (!slurm.value("DefCpuPerGPU").empty()) s.default_cpus_per_gpu = number(slurm, "DefCpuPerGPU");
  s.default_memory_per_gpu_mib = memory(slurm, "DefMemPerGPU");
  s.over_time_limit_min = number(slurm, "OverTimeLimit");
  s.config_overrides = slurm.option("SlurmdParameters", "config_overrides").has_value();
  s.enforce_associations = slurm.enforce_associations;
  s.enforce_qos = slurm.enforce_qos;
  s.enforce_limits = slurm.enforce_limits;
  s.enforce_safe = slurm.enforce_safe;
  for (const std::string& type : slurm.gres_types) s.gres_types.emplace_back(type);
  for (const License& license : slurm.licenses)
    s.licenses.emplace_back(license.name, license.count);
  s.job_file_append = is_yes(slurm.value("JobFileAppend")) ? "1" : "0";
  s.priority = priority_of(slurm);
  set_scheduling(slurm, s);
  s.time_slice = Seconds{number(slurm, "SchedulerTimeSlice")};
  s.backfill = !iequals(slurm.value("SchedulerType"), "sched/builtin");
  s.requeue_exits = IdSet::parse(slurm.value("RequeueExit"), 255).value_or(IdSet{});
  s.requeue_exits_held = IdSet::parse(slurm.value("RequeueExitHold"), 255).value_or(IdSet{});
  s.accounting = !iequals(slurm.accounting_storage_type, "accounting_storage/none");
  s.programs = programs_of(slurm);
  s.mail_domain = slurm.mail_domain;
  s.health_check = health_check_of(slurm);
  s.power = power_of(slurm);
  s.can_reboot = !slurm.reboot_program.empty();
  s.max_node_count = parse_number<std::uint32_t>(slurm.value("MaxNodeCount")).value_or(0);
  set_meeting_ports(slurm, s);
  s.private_data = private_data_of(slurm);
  s.disable_root_jobs = is_yes(slurm.value("DisableRootJobs"));
  s.cpu_bind = default_cpu_bind(slurm);
  if (auto ports = slurm.option("MpiParams", "ports"))
    s.step_ports = IdSet::parse(*ports, 65535).value_or(IdSet{});
  return s;
}

Result<void> check_topology(const ClusterConfig& config) {
  for (const Switch& s : config.settings.topology)
    for (const Text& name : s.nodes)
      if (std::ranges::find(config.nodes, name, &NodeConfig::name) == config.nodes.end())
        return fail(ErrorCode::config_invalid, "topology.conf: SwitchName=" + s.name.str() +
                                                   ": no node is called " + name.str());
  return {};
}

}  // namespace

bool has_topology(const SlurmConf& slurm) {
  return iequals(slurm.value("TopologyPlugin"), "topology/tree");
}

Result<ClusterConfig> cluster_config(const SlurmConf& slurm, const GresConf& gres,
                                     std::vector<Switch> topology) {
  ClusterConfig config;
  config.settings = settings_of(slurm);
  config.settings.topology = std::move(topology);
  for (const ConfiguredNode& entry : slurm.nodes) {
    NodeConfig node = entry.node;
    if (node.port == 0) node.port = slurm.slurmd_port;
    node.first_cores_spec = slurm.option("SchedulerParameters", "spec_cores_first").has_value();
    auto pools = gres_pools(node, gres);
    if (!pools) return invalid(entry.at, pools.error().detail);
    node.gres = std::move(*pools);
    config.nodes.push_back(std::move(node));
  }
  if (auto ok = check_topology(config); !ok) return std::unexpected(ok.error());
  for (const ConfiguredPartition& entry : slurm.partitions) {
    config.partitions.push_back(entry.partition);
    if (!entry.says_root_jobs)
      config.partitions.back().disable_root_jobs = config.settings.disable_root_jobs;
    config.partition_nodes.push_back(entry.node_names);
  }
  config.qos = slurm.qos;
  for (const NodeSet& set : slurm.node_sets)
    if (!set.feature.empty()) config.node_sets.emplace_back(set.name, set.feature);
  config.slurmd_port = slurm.slurmd_port;
  return config;
}

}  // namespace muster::config
