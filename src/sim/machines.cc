// Makes the configuration of the simulated cluster. Some of it depends on the seed.
#include "sim/machines.h"

#include <array>

namespace muster::sim {

namespace {

// A site that uses all features: which ones, and how, depends on the seed.
void configure_richly(ClusterConfig& config, const std::vector<Text>& names, std::uint64_t seed) {
  Settings& s = config.settings;
  s.licenses = {{"lic", 3}};
  s.can_reboot = s.user_top = true;
  s.kill_on_invalid_dependency = true;
  s.max_node_count = 20;
  s.min_job_age = Seconds{120};
  s.power.resume_timeout = Seconds{90};
  s.power.suspend_timeout = Seconds{20};
  s.power.down_grace = Seconds{5};
  if (seed % 4 == 1) {
    s.power.saving = s.power.tells_failures = true;
    s.power.suspend_time = Seconds{60};
  }
  s.programs.prolog_slurmctld = seed % 3 == 0;
  s.programs.epilog_slurmctld = seed % 3 == 1;
  s.programs.prolog = s.programs.epilog = seed % 5 < 2;
  s.programs.prolog_at_start = seed % 5 == 0;
  s.programs.contain = seed % 7 == 0;
  s.programs.reservation_prolog = s.programs.reservation_epilog = true;
  s.health_check.interval = Seconds{30};
  s.time_slice = Seconds{10};
  PreemptSettings& preempt = s.preempt;
  if (seed % 3 == 1) preempt.type = PreemptType::partition_priority;
  if (seed % 3 == 2) preempt.type = PreemptType::qos;
  constexpr std::array kModes{PreemptMode::requeue, PreemptMode::cancel, PreemptMode::suspend};
  if (preempt.type != PreemptType::none) preempt.mode = kModes[seed / 3 % kModes.size()];
  if (preempt.mode == PreemptMode::suspend && preempt.type == PreemptType::qos)
    preempt.mode = PreemptMode::requeue;
  preempt.gang = preempt.mode == PreemptMode::suspend;
  Qos normal{.name = "normal"}, urgent{.name = "urgent", .priority = 10, .preempts = {"normal"}};
  urgent.limits.per_user.jobs = 5;
  config.qos = {normal, urgent};
  Partition high;
  high.name = "high";
  high.priority_tier = 2;
  config.partitions.push_back(high);
  config.partition_nodes.push_back(names);
  NodeConfig future;
  future.name = "f1";
  future.cpus = future.cores_per_socket = 2;
  future.memory_mib = 16000;
  future.state = "FUTURE";
  config.nodes.push_back(std::move(future));
}

}  // namespace

ClusterConfig configured_for(const WorldOptions& options) {
  ClusterConfig config;
  config.settings.cluster_name = "sim";
  config.settings.slurmd_timeout = Seconds{60};
  config.settings.accounting = true;
  config.settings.kill_wait = Seconds{5};
  config.settings.return_to_service = 2;
  config.settings.max_batch_requeue = 1000;  // nodes fail often here, and nobody releases held jobs
  config.settings.gres_types = {"gpu"};
  if (options.seed % 2 == 0) {  // usage is recorded throughout the run
    config.settings.priority.multifactor = true;
    config.settings.priority.fair_share = 1000;
    config.settings.priority.shares.calc_period = Seconds{10};
  }
  Partition partition;
  partition.name = "batch";
  partition.is_default = true;
  std::vector<Text> names;
  for (std::uint32_t i = 1; i <= options.nodes; ++i) {
    NodeConfig node;
    node.name = "n" + std::to_string(i);
    node.cpus = node.cores_per_socket = options.cpus;
    node.memory_mib = 16000;
    node.gres = {{.name = "gpu", .type = "v100", .count = 2, .indices = IdSet::range(0, 1)}};
    names.push_back(node.name);
    config.nodes.push_back(std::move(node));
  }
  config.partitions = {partition};
  config.partition_nodes = {names};
  if (options.is_rich()) configure_richly(config, names, options.seed);
  return config;
}

}  // namespace muster::sim
