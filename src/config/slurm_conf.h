// slurm.conf as a value. Every key of Slurm 22.05 and of the releases after it is known (keys.h);
// one that nothing here acts on is accepted and listed in `ignored_keys`, an unknown one is an
// error.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/text/strings.h"
#include "base/time.h"
#include "config/keys/source.h"
#include "config/lines/node_line.h"
#include "config/lines/partition_line.h"

namespace muster::config {

struct ControllerHost {
  std::string name;
  std::string address;  // where to connect to; the name unless "name(address)" says otherwise
  bool has_own_address = false;
  bool operator==(const ControllerHost&) const = default;
};

struct License {
  std::string name;
  std::uint32_t count = 1;
};

struct SlurmConf {
  std::string path;

  // who and where
  std::string cluster_name;                 // in lower case
  std::vector<ControllerHost> controllers;  // the first one is the primary
  std::string slurm_user = "root", slurmd_user = "root";
  std::string auth_type, auth_info;
  std::uint16_t slurmctld_port = 0, slurmctld_port_last = 0;  // the same unless a range is given
  std::uint16_t slurmd_port = 0;
  std::string state_save_location, slurmd_spool_dir, slurmctld_pid_file, slurmd_pid_file,
      slurmctld_log_file, slurmd_log_file, tmp_fs;  // those of slurmd with %h and %n not expanded
  std::string slurmctld_debug, slurmd_debug;        // "info", "debug2"
  std::string debug_flags;                          // "Agent,Protocol"
  std::string proctrack_type, task_plugin, job_acct_gather_type, job_acct_gather_frequency;
  std::string mail_prog, mail_domain;

  // accounting
  std::string accounting_storage_type, accounting_storage_host, accounting_storage_tres;
  std::uint16_t accounting_storage_port = 0;
  bool enforce_associations = false, enforce_limits = false, enforce_qos = false,
       enforce_wckeys = false, enforce_safe = false;

  // times
  Seconds kill_wait{}, message_timeout{}, min_job_age{}, slurmd_timeout{}, inactive_limit{},
      complete_wait{}, unkillable_step_timeout{}, health_check_interval{}, wait_time{};
  Seconds prolog_epilog_timeout{};  // 0 = none

  // programs
  std::string prolog, epilog, prolog_slurmctld, epilog_slurmctld, task_prolog, task_epilog,
      srun_prolog, srun_epilog, health_check_program, reboot_program, unkillable_step_program,
      suspend_program, resume_program;
  std::vector<std::string> prolog_flags;  // "Alloc", "Contain"
  // What a flag implies is there, too.
  bool has_prolog_flag(std::string_view name) const;
  std::string mpi_default;
  std::string propagate_limits, propagate_limits_except;

  std::vector<std::string> gres_types;
  std::vector<License> licenses;
  std::vector<ConfiguredNode> nodes;
  std::vector<NodeSet> node_sets;
  std::vector<ConfiguredPartition> partitions;
  std::vector<Qos> qos;

  Values values;  // every key that was given, as it was given
  std::map<std::string, Location, CaseInsensitiveLess> places;  // where each was given, last
  std::vector<std::string> ignored_keys;  // given, known, and without effect; each once
  std::vector<std::string> warnings;      // for the daemon's log

  // The value given or the key's default; empty where there is neither.
  std::string value(std::string_view key) const;
  Location place_of(std::string_view key) const;  // the file alone where the key was not given
  // "SchedulerParameters" holds "bf_interval=30,defer": option("SchedulerParameters",
  // "bf_interval") is "30", of "defer" it is "", and nothing where the word is not in the list.
  std::optional<std::string> option(std::string_view key, std::string_view name) const;

  // What `scontrol show config` prints, in its order and spelling. BOOT_TIME, NEXT_JOB_ID and
  // SLURM_VERSION are empty: the daemon fills them. Users other than root lack their "(uid)".
  std::vector<std::pair<std::string, std::string>> show_settings() const;
};

Result<SlurmConf> load_slurm_conf(const FileReader& read, const std::string& path);

// Paths of slurmd: %n is the node's name, %h its host's short name, %% a percent sign.
std::string expand_node_path(std::string_view path, std::string_view node_name,
                             std::string_view hostname);

}  // namespace muster::config
