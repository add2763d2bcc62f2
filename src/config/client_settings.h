// What a command needs of slurm.conf to reach the controller, picked out in one pass over the text:
// a command must start in a millisecond, whatever the number of node lines.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "config/slurm_conf.h"

namespace muster::config {

inline constexpr std::string_view kInteractiveStepOptions =
    "--interactive --preserve-env --pty $SHELL";

struct ClientSettings {
  std::string cluster_name;
  std::vector<ControllerHost> controllers;
  std::uint16_t slurmctld_port = 6817;
  std::string slurm_user = "root";
  std::string slurmctld_pid_file = "/run/slurmctld.pid";
  std::string auth_type = "auth/munge", auth_info;
  std::string accounting_storage_type = "accounting_storage/embedded";
  Seconds message_timeout{10}, kill_wait{30}, wait_time{0};
  bool kill_on_bad_exit = false;
  std::string srun_prolog, srun_epilog;
  std::string mpi_default = "none";
  std::uint32_t tree_width = 50;
  std::string propagate_limits = "ALL", propagate_limits_except;
  std::string launch_parameters;     // LaunchParameters
  std::string scheduler_parameters;  // SchedulerParameters
  std::string interactive_step_options{kInteractiveStepOptions};
  bool has_include = false;  // the text is not the whole configuration: use the full parser
  bool operator==(const ClientSettings&) const = default;
};

Result<ClientSettings> quick_client_settings(std::string_view text);

// The same from the full parser.
ClientSettings client_settings(const SlurmConf& conf);

}  // namespace muster::config
