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
  Uid user;               // whose job it is
  Text host;              // where it comes from
  bool reserved = false;  // it names a reservation
};

// AllowGroups
bool admits_groups(const Partition& partition, const std::vector<std::string>& groups);
// AllowGroups, AllowAccounts, DenyQos, RootOnly and so on.
Result<void> admits(const Partition& partition, const Submitter& who);

// MaxMemPerCPU: a job that asks for more memory gets the CPUs that go with it.
void add_cpus_for_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec);

// DefMemPerCPU and DefMemPerNode become the job's own request: it keeps them, is shown with them
// and finds them in its environment.
void give_default_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec);

// What keeps a job of srun or salloc from starting that no end of another job changes; no_error
// where nothing does.
ErrorCode obstacle(const Cluster& cluster, const Job& job);

// EnforcePartLimits: limits that otherwise only make a job wait.
bool asks_more_cpus_than(const Cluster& cluster, const Partition& partition, const JobSpec& spec);
Result<void> within_limits(const Partition& partition, const JobSpec& spec, Minutes time_limit);

}  // namespace muster::controller
