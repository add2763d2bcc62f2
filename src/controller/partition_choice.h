// Which partitions a job may wait in: those it names, if they admit it.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

struct Submitter {
  bool is_operator = false;
  std::vector<std::string> groups;  // asked for only where a partition lists groups
  Text account, qos;
};

// "main", "a,b"; empty = the default one. Every name must exist.
Result<std::vector<const Partition*>> named_partitions(const Cluster& cluster,
                                                       std::string_view names);

// AllowGroups, AllowAccounts, DenyQos, RootOnly and so on.
Result<void> admits(const Partition& partition, const Submitter& who);

// The job's own limit, or the partition's for those who ask for none.
Minutes effective_limit(const JobSpec& spec, const Partition& partition);

// EnforcePartLimits: limits that otherwise only make a job wait.
Result<void> within_limits(const Partition& partition, const JobSpec& spec, Minutes time_limit);

}  // namespace muster::controller
