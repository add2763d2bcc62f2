#include "config/cluster_config.h"

#include <algorithm>

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
  s.accounting = !iequals(slurm.accounting_storage_type, "accounting_storage/none");
  s.programs = programs_of(slurm);
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
