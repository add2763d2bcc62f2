// Where `make install` puts what programs look for. The one file that is compiled anew when that
// changes is install_paths.cc.
#pragma once

#include <string_view>

namespace muster {

// "/etc/slurm/slurm.conf": read where neither an option nor SLURM_CONF names another.
extern const std::string_view kSystemConfig;
extern const std::string_view kDaemonDirectory;  // "/usr/sbin": slurmctld and slurmd

}  // namespace muster
