// What slurmd takes from slurm.conf, with %n and %h of its own node filled in.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/files/cgroup_conf.h"
#include "config/files/job_container_conf.h"
#include "config/slurm_conf.h"
#include "io/hardware/hardware.h"
#include "io/log.h"
#include "io/net/channel.h"
#include "model/node/node.h"

namespace muster {

struct SlurmdConfig {
  std::string config_file;
  std::string node_name;
  NodeConfig node;
  std::string spool_dir, pid_file, log_file, tmp_dir;
  io::LogLevel log_level = io::LogLevel::info;
  std::string unix_path;  // where sruns of this machine connect
  std::uint16_t port = 0;
  bool use_munge = true;
  std::string munge_socket;
  std::vector<io::Endpoint> controllers;
  Uid slurm_user;
  std::uint32_t tree_width = 50;
  bool config_overrides = false;  // report the configured hardware
  Millis heartbeat_every{10'000};
  Seconds sample_every{30};
  Seconds kill_wait{30}, message_timeout{10}, unkillable_after{60};
  bool binds_tasks = false;                              // TaskPlugin=task/affinity
  std::string prolog, epilog, task_prolog, task_epilog;  // programs of the site
  std::string health_check_program, reboot_program, unkillable_step_program;
  bool lock_memory = false, lock_future_memory = false;  // of slurmstepd
  bool track_by_process_group = false;                   // ProctrackType=proctrack/pgid
  Seconds program_timeout{0};
  bool serial_programs = false;  // PrologFlags=Serial: one Prolog or Epilog at a time
  bool programs_in_job = false;  // PrologFlags=RunInJob
  config::CgroupConf cgroup;
  bool track_by_cgroup = false;                                 // ProctrackType
  bool constrain = false;                                       // TaskPlugin
  bool kill_over_memory = false;                                // JobAcctGatherParams
  std::vector<Text> devices;                                    // of all the node's gres
  std::string auto_detect;                                      // gres.conf
  std::optional<config::JobContainerConf> private_directories;  // JobContainerType
  std::vector<std::string> warnings;
};

// Which node this slurmd is.
struct NodeIdentity {
  std::string name;      // -N; empty means the node that has this machine's name
  bool dynamic = false;  // -Z: no file describes it
  std::string conf;      // --conf
};
// Where slurmctld is to be found.
Result<std::vector<io::Endpoint>> controllers_of(const config::SlurmConf& conf);
Result<SlurmdConfig> read_slurmd_config(const std::string& path, const NodeIdentity& identity,
                                        const io::Hardware& hardware);

}  // namespace muster
