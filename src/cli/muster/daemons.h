// The daemons of the embedded cluster as processes: which of them live, starting and ending them.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "base/time.h"

namespace muster::cli {

Result<std::string> own_directory();  // of this program

// Where the daemons' programs are: beside this one, or in ../sbin.
struct Programs {
  std::string slurmctld, slurmd;
};
Result<Programs> find_programs();

// Runs a program to its end with its input from /dev/null; what it wrote to stdout. One that fails
// is an error with its last words on stderr.
Result<std::string> run_program(const std::vector<std::string>& argv);

// A daemon holds a lock on its pid file while it lives: a file left by a crash is not locked, and a
// process that got the number of a dead daemon does not hold the lock.
struct Daemon {
  std::string name;  // "slurmctld", "slurmd of node1"
  std::string pid_file;
};
std::optional<pid_t> find_process(const Daemon& daemon);

// SIGTERM, and waiting until it is gone.
Result<void> end_daemon(const Daemon& daemon, Seconds patience);

// Of all that left a pid file in this directory: slurmds first, slurmctld last, the order to end
// them.
std::vector<Daemon> list_daemons(const std::string& run_directory);
Daemon controller_daemon(const std::string& run_directory);
Daemon node_daemon(const std::string& run_directory, const std::string& node);

}  // namespace muster::cli
