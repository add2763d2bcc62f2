// Cgroup: the control groups of one step. They track, confine, freeze and kill its processes. v1.cc
// and v2.cc work with the two versions of control groups.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "config/files/cgroup_conf.h"
#include "model/node/confinement.h"

namespace muster::io {

class Cgroup {
 public:
  virtual ~Cgroup() = default;

  // Moves the calling process into the step's group; processes that it starts later follow.
  virtual Result<void> enter() const = 0;
  virtual std::vector<pid_t> processes() const = 0;
  // Kills all processes. One that forks meanwhile may escape, so repeat until there are none.
  virtual void kill() = 0;
  virtual Result<void> freeze(bool frozen) = 0;
  virtual std::uint64_t oom_kills() const = 0;        // so far
  virtual std::uint64_t memory_peak_kib() const = 0;  // 0 = not known
  virtual std::string memory_path() const = 0;        // the group's name in the kernel's log
  // Removes the empty group, and the job's group with its last step.
  virtual void remove() = 0;
};

// Makes the groups and sets the limits. Requires that confinement.groups is not none.
Result<std::unique_ptr<Cgroup>> make_cgroup(const Confinement& confinement);
// Finds groups made earlier; sets no limits.
std::unique_ptr<Cgroup> find_cgroup(const Confinement& confinement);

struct CgroupSystem {
  Confinement::Groups groups = Confinement::Groups::none;
  std::string mountpoint;
};
// The control groups to use, by what the machine has and cgroup.conf asks for. Fails if the machine
// cannot enforce a constraint. `constrain`: the Constrain* keys are in effect.
Result<CgroupSystem> detect_cgroups(const config::CgroupConf& conf, bool constrain);

// The last process that the kernel killed in this memory group, from its log: "1234 (python3)".
std::string last_oom_victim(const std::string& memory_path);

}  // namespace muster::io
