// See install_paths.h; CMake says the values.
#include "base/install_paths.h"

namespace muster {

constexpr std::string_view kSystemConfig = MUSTER_CONFIG_DIRECTORY "/slurm.conf";
constexpr std::string_view kDaemonDirectory = MUSTER_DAEMON_DIRECTORY;

}  // namespace muster
