// What slurmd passes to the slurmstepd it starts: the controller's launch, and facts about this
// machine. Slurmd looks up names and groups, so that slurmstepd can be linked without the name
// service.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/containers/text.h"
#include "base/time.h"
#include "model/node/confinement.h"
#include "wire/node_messages.h"
#include "wire/step_messages.h"

namespace muster {

// The reason of a node that was drained because its disk has no room for a job's script.
inline constexpr std::string_view kSpoolIsFull = "SlurmdSpoolDir is full";

struct StepSetup {
  wire::StepLaunch launch;
  Text node_name;    // SLURMD_NODENAME
  Text host_name;    // %N: the machine's own short name
  Text program;      // "slurmstepd" or, on a machine with several slurmd, "slurmstepd-n1"
  Text step_file;    // the file to which the end is written
  Text job_dir;      // where the batch script is stored
  Text config_file;  // SLURM_CONF of tasks that have none of their own
  Text home, shell;  // of the user
  std::vector<Gid> groups;
  bool change_user = false;
  Seconds sample_every{0};  // 0 = never
  Seconds kill_wait{0};
  Seconds unkillable_after{0};  // 0 = waits for ever
  Text boot_id;
  bool binds_tasks = false;  // TaskPlugin=task/affinity
  // Programs of the site, run as the user before and after every task.
  Text task_prolog, task_epilog;
  Confinement confinement;
  Text mount_namespace;     // a file that holds the job's mount namespace; empty = the machine's
  wire::NodeAccess access;  // to the nodes below this one
  bool lock_memory = false, lock_future_memory = false;  // LaunchParameters=slurmstepd_memlock*
  bool track_by_group = false;                           // ProctrackType=proctrack/pgid
  Uid slurm_user;                                        // may attach to the step, like its user
  Text stop_notice;                                      // MUSTER_STOP_NOTICE
  std::uint32_t tree_width = 0;  // TreeWidth: how many of the nodes below are connected directly
  template <class V>
  void fields(V& v) {
    v(1, launch);
    v(2, node_name);
    v(3, host_name);
    v(4, program);
    v(5, step_file);
    v(6, job_dir);
    v(7, config_file);
    v(8, home);
    v(9, shell);
    v(10, groups);
    v(11, change_user);
    v(12, sample_every);
    v(13, kill_wait);
    v(14, boot_id);
    v(15, task_prolog);
    v(16, task_epilog);
    v(17, confinement);
    v(30, binds_tasks);
    v(120, mount_namespace);
    v(170, access);
    v(210, lock_memory);
    v(211, lock_future_memory);
    v(212, track_by_group);
    v(240, unkillable_after);
    v(300, slurm_user);
    v(301, tree_width);
    v(600, stop_notice);
  }
};

}  // namespace muster
