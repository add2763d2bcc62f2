#include "sim/machines.h"

namespace muster::sim {

ClusterConfig configured_for(const WorldOptions& options) {
  ClusterConfig config;
  config.settings.cluster_name = "sim";
  config.settings.slurmd_timeout = Seconds{60};
  config.settings.accounting = true;
  config.settings.kill_wait = Seconds{5};
  config.settings.return_to_service = 2;
  config.settings.max_batch_requeue = 1000;  // nodes die often here, and nobody releases a job
  config.settings.gres_types = {"gpu"};
  if (options.seed % 2 == 0) {  // usage is counted through all that happens
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
  return config;
}

}  // namespace muster::sim
