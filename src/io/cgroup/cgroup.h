// The control groups of one step: its processes are kept track of, confined, frozen and killed by
// them. cgroup_v1.cc and cgroup_v2.cc speak to the two kinds of hierarchies.
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

  // Moves the calling process, and with it all that it will start, into the step's group.
  virtual Result<void> enter() const = 0;
  virtual std::vector<pid_t> processes() const = 0;
  // Kills all of them. One that forks meanwhile may escape: repeat until there are none.
  virtual void kill() = 0;
  virtual Result<void> freeze(bool frozen) = 0;
  virtual std::uint64_t oom_kills() const = 0;        // so far
  virtual std::uint64_t memory_peak_kib() const = 0;  // 0 = not known
  virtual std::string memory_path() const = 0;        // as the kernel's log names the group
  // Once it is empty. The job's group goes with its last step.
  virtual void remove() = 0;
};

// Makes the groups and sets the limits; REQUIRES that confinement.groups is not none.
Result<std::unique_ptr<Cgroup>> make_cgroup(const Confinement& confinement);
// Finds groups made before; nothing is set.
std::unique_ptr<Cgroup> find_cgroup(const Confinement& confinement);

struct CgroupSystem {
  Confinement::Groups groups = Confinement::Groups::none;
  std::string mountpoint;
};
// What the machine has and cgroup.conf asks for; an error where a constraint cannot be kept.
// `constrain`: the Constrain keys count.
Result<CgroupSystem> detect_cgroups(const config::CgroupConf& conf, bool constrain);

// The last process that the kernel killed in this memory group, from its log: "1234 (python3)".
std::string last_oom_victim(const std::string& memory_path);

}  // namespace muster::io
