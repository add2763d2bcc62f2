// What a step is confined to, according to cgroup.conf, slurm.conf and its launch.
#pragma once

#include <cstdint>
#include <vector>

#include "base/containers/text.h"
#include "config/files/cgroup_conf.h"
#include "model/node/confinement.h"
#include "wire/node_messages.h"
#include "wire/step_messages.h"

namespace muster {

// What slurmd knows about its node.
struct NodeConfinement {
  config::CgroupConf conf;
  Confinement::Groups groups = Confinement::Groups::none;
  Text mountpoint;
  Text base;                        // "slurm_n1": the parent of the groups of this node's jobs
  bool constrain = false;           // TaskPlugin has task/cgroup: the Constrain keys of `conf` act
  bool kill_over_memory = false;    // JobAcctGatherParams=OverMemoryKill
  std::uint64_t memory_mib = 0;     // of the node
  std::vector<std::uint32_t> cpus;  // the machine's number of each CPU of the node
  std::vector<Text> devices;        // the files of all of its gres
};

Confinement confine(const NodeConfinement& node, const wire::StepLaunch& launch);

// The groups of a step, without limits: enough to find its processes.
Confinement groups_of(const NodeConfinement& node, const wire::StepRef& step, Uid uid);

// The groups of a process that receives a file for a job that has nothing else on this node.
Confinement confine_receiver(const NodeConfinement& node, const wire::FileGrant& grant);

}  // namespace muster
