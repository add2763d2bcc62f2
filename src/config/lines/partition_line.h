// `PartitionName=` and `QoS=` lines of slurm.conf.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "config/keys/source.h"
#include "config/lines/node_line.h"
#include "model/accounts/qos.h"
#include "model/node/partition.h"

namespace muster::config {

struct ConfiguredPartition {
  Location at;
  Partition partition;
  std::vector<Text> node_names;  // expanded, in the order of the node lines
  bool says_root_jobs = false;   // the line itself has DisableRootJobs
};

// Collects partition lines; PartitionName=DEFAULT changes the defaults of later lines.
class PartitionLines {
 public:
  Result<void> add(const Line& line);
  // Call it after all lines: finds the nodes of each partition.
  Result<void> finish(const std::vector<ConfiguredNode>& nodes, const std::vector<NodeSet>& sets);

  std::vector<ConfiguredPartition> partitions;
  std::vector<std::string> ignored;

 private:
  Values defaults_;
};

// "CPU=1.0,Mem=0.25G,GRES/gpu=2": a weight per resource; memory may have a unit.
bool are_billing_weights(std::string_view text);

Result<Qos> parse_qos_line(const Line& line);

}  // namespace muster::config
