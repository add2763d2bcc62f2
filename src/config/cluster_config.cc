// Combines the configuration files into the values that the controller decides on.
#include "config/cluster_config.h"

#include <algorithm>

#include "base/text/strings.h"
#include "config/fill.h"
#include "config/keys/keys.h"
#include "config/keys/put.h"
#include "config/limit_words.h"

namespace muster::config {

namespace {

HealthCheck health_check_of(const SlurmConf& slurm) {
  HealthCheck check;
  if (slurm.value("HealthCheckProgram").empty()) return check;
  put(check.interval, {Kind::seconds}, slurm.value("HealthCheckInterval"));
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

// The rows of the tables fill in nearly everything; a few values follow from several keys.
Settings settings_of(const SlurmConf& slurm) {
  Settings s;
  fill(s, [&](const Key& key) { return slurm.view(key); });
  set_request_limits(slurm, s.request_limits);
  s.health_check = health_check_of(slurm);
  s.power.saving = !slurm.value("SuspendProgram").empty() && !slurm.value("ResumeProgram").empty();
  if (!s.programs.prolog) s.programs.prolog_at_start = s.programs.defer_batch = false;
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
