// The daemons of the embedded cluster as processes: which ones are alive, and how they are started
// and ended.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::cli {

Result<std::string> own_directory();  // of this program

// Where the daemons' programs are: next to this program, or in ../sbin.
struct Programs {
  std::string slurmctld, slurmd;
};
Result<Programs> find_programs();

// Runs a program with its input from /dev/null and returns its stdout. If it fails, the error has
// the last lines of its stderr.
Result<std::string> run_program(const std::vector<std::string>& argv);

// While a daemon is alive it holds a lock on its pid file. A file that a crash left behind is not
// locked, and a process that got the number of a dead daemon does not hold the lock.
struct Daemon {
  std::string name;  // "slurmctld", "slurmd of node1"
  std::string pid_file;
};
std::optional<pid_t> find_process(const Daemon& daemon);

inline constexpr Seconds kDaemonEndWait{30};
// Sends SIGTERM and waits until the daemon has ended.
Result<void> end_daemon(const Daemon& daemon, Seconds patience);

// All daemons with a pid file in this directory, in the order in which to end them: slurmds first,
// slurmctld last.
std::vector<Daemon> list_daemons(const std::string& run_directory);
Daemon controller_daemon(const std::string& run_directory);
Daemon node_daemon(const std::string& run_directory, const std::string& node);

}  // namespace muster::cli
