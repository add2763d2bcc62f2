// Which partitions a job may wait in: those it names, if they admit it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "model/cluster.h"

namespace muster::controller {

// The error for a job that does not fit its partition.
inline constexpr std::string_view kBeyondPartition =
    "Requested partition configuration not available now";

struct Submitter {
  bool is_operator = false;
  std::vector<std::string> groups;  // looked up only if a partition lists groups
  Text account, qos;
  Uid user;               // the job's user
  Text host;              // the host that submits it
  bool reserved = false;  // it names a reservation
};

// AllowGroups, AllowAccounts, DenyQos, RootOnly and so on.
Result<void> admits(const Partition& partition, const Submitter& who);

// MaxMemPerCPU: a job that asks for more memory gets the CPUs that belong to it.
void add_cpus_for_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec);

// DefMemPerCPU and DefMemPerNode become part of the job's request, so that they are shown and set
// in its environment.
void give_default_memory(const Cluster& cluster, const Partition& partition, JobSpec& spec);

// What keeps a job of srun or salloc from starting even if all other jobs end; empty if nothing
// does.
std::string_view obstacle(const Cluster& cluster, const Job& job);

// EnforcePartLimits: limits that otherwise only make a job wait.
bool asks_more_cpus_than(const Cluster& cluster, const Partition& partition, const JobSpec& spec);
Result<void> within_limits(const Partition& partition, const JobSpec& spec, Minutes time_limit);

}  // namespace muster::controller
