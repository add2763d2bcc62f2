// What slurm.conf says to each program that reads it. The rows of key_table.h and word_table.h fill
// the members. Defaults of keys are in the tables, defaults of words are here.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/containers/text.h"
#include "base/time.h"

namespace muster::config {

inline constexpr std::uint16_t kSlurmdbdPort = 6819;

struct ControllerHost {
  std::string name;
  std::string address;  // the address to connect to; the name unless given as "name(address)"
  bool has_own_address = false;
  bool operator==(const ControllerHost&) const = default;
};

// The keys that named controllers before SlurmctldHost.
struct OldControllers {
  std::string primary, primary_address, backup, backup_address;
  std::vector<ControllerHost> hosts() const;
  bool operator==(const OldControllers&) const = default;
};

// Words of SlurmctldParameters that limit what one user may ask of the controller.
struct ControllerWords {
  bool rl_enable = false;
  std::uint32_t rl_bucket_size = 30, rl_refill_rate = 2, rl_refill_period = 1, rl_table_size = 8192,
                rl_log_freq = 0;
  std::uint32_t max_user_connections = 0;  // 0 = a quarter of all connections
};

// Settings of slurmctld itself; those that its decisions depend on are in Settings
// (model/cluster.h).
struct ControllerSettings {
  std::string cluster_name;  // in lower case
  std::string slurm_user, slurmd_user;
  bool use_munge = false;    // AuthType
  std::string munge_socket;  // a word of AuthInfo; empty = munge's own default
  std::uint16_t slurmctld_port = 0, slurmd_port = 0;  // the first port of a range
  std::string state_save_location, slurmctld_pid_file, slurmctld_log_file;
  std::string slurmctld_debug;  // "info", "debug2"
  std::string syslog_debug;     // SlurmctldSyslogDebug, likewise; empty = see io/log.h
  std::string log_time_format;  // "iso8601_ms"
  bool log_json = false;        // SlurmctldParameters
  std::string debug_flags;      // "Agent,Protocol"
  bool wants_slurmdbd = false;  // AccountingStorageType
  std::string accounting_host;  // where slurmdbd is: AccountingStorageHost, AccountingStoragePort
  std::uint16_t accounting_port = 0;  // 0 = the usual one
  Seconds program_timeout{0};         // PrologEpilogTimeout; 0 = none
  std::vector<Text> gres_types;       // GresTypes
  bool has_topology = false;          // TopologyPlugin=topology/tree: topology.conf is read
  ControllerWords words;
  OldControllers old_controllers;
};

// Settings of slurmd. %n and %h in paths are not expanded yet.
struct NodeSettings {
  std::string spool_dir, pid_file, log_file, tmp_dir;
  std::string slurmd_debug;     // "info", "debug2"
  std::string syslog_debug;     // SlurmdSyslogDebug, likewise; empty = see io/log.h
  std::string log_time_format;  // "iso8601_ms"
  bool log_json = false;        // SlurmdParameters
  bool use_munge = false;
  std::string munge_socket;  // empty = munge's own default
  std::uint32_t tree_width = 0;
  // SlurmdParameters: report the configured hardware instead of the real one.
  bool config_overrides = false;
  Seconds slurmd_timeout{0};
  Seconds sample_every{0};  // JobAcctGatherFrequency
  Seconds kill_wait{0}, message_timeout{0}, unkillable_after{0};
  bool binds_tasks = false;                              // TaskPlugin=task/affinity
  bool constrain = false;                                // TaskPlugin=task/cgroup
  bool track_by_cgroup = false;                          // ProctrackType
  bool track_by_process_group = false;                   // ProctrackType=proctrack/pgid
  bool kill_over_memory = false;                         // JobAcctGatherParams
  bool wants_private_directories = false;                // JobContainerType
  std::string prolog, epilog, task_prolog, task_epilog;  // programs of the site
  std::string health_check_program, reboot_program, unkillable_step_program;
  bool lock_memory = false, lock_future_memory = false;  // of slurmstepd: LaunchParameters
  Seconds program_timeout{0};                            // PrologEpilogTimeout; 0 = none
  bool serial_programs = false;  // PrologFlags=Serial: one Prolog or Epilog at a time
  bool programs_in_job = false;  // PrologFlags=RunInJob
};

// Settings of commands.
struct ClientSettings {
  std::string cluster_name;
  std::vector<ControllerHost> controllers;
  OldControllers old_controllers;
  std::uint16_t slurmctld_port = 0;
  std::string slurm_user, slurmctld_pid_file;
  bool use_munge = false;
  std::string munge_socket;           // empty = munge's own default
  bool accounting = true;             // AccountingStorageType is not accounting_storage/none
  bool uses_slurmdbd = false;         // it is accounting_storage/slurmdbd
  std::string accounting_host;        // where that is
  std::uint16_t accounting_port = 0;  // 0 = the usual one
  Seconds message_timeout{10}, kill_wait{0}, wait_time{0};
  bool kill_on_bad_exit = false;
  std::string srun_prolog, srun_epilog, mpi_default;
  std::uint32_t tree_width = 0;
  std::string propagate_limits, propagate_limits_except;
  bool test_exec = false;  // LaunchParameters: srun checks first that its program exists
  bool uses_interactive_step = false;  // LaunchParameters
  std::string interactive_step;        // options of the srun that starts salloc's shell
  bool het_steps = true;  // SchedulerParameters: steps may span components of a heterogeneous job
  bool operator==(const ClientSettings&) const = default;
};

}  // namespace muster::config
