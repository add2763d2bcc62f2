// The embedded cluster as its owner sees it: a directory that contains everything, its daemons, and
// what its controller reports. `up`, `down` and `status` are built on it.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/lib/controller.h"
#include "cli/muster/daemons.h"
#include "cli/muster/up_options.h"
#include "wire/client_messages.h"

namespace muster::cli {

struct JobCounts {
  std::size_t active = 0;      // running or suspended
  std::size_t completing = 0;  // ended or being ended, with processes left
  std::size_t pending = 0;     // counts every waiting task of an array
};

class Embedded {
 public:
  Embedded();

  const std::string& base() const { return base_; }
  std::string conf_file() const { return base_ + "/etc/slurm.conf"; }
  std::string run_directory() const { return base_ + "/run"; }
  std::string log_directory() const { return base_ + "/log"; }

  // Only this user may enter the directories: the sockets in them trust every process that reaches
  // them.
  Result<void> make_directories() const;
  // Only one `up` or `down` runs at a time. Held until this process ends.
  Result<void> lock() const;

  std::string settings_file() const { return base_ + "/etc/settings.conf"; }
  // The options of the `up` that started the last cluster; nothing if there was none.
  std::optional<UpOptions> recorded_options() const;
  std::vector<std::string> configured_node_names() const;
  // slurmctld, then the slurmds of the configuration.
  std::vector<Daemon> daemons() const;
  bool anything_runs() const;
  bool everything_runs() const;
  // Whether the last cluster ended without `muster down`: then its pid files still exist.
  bool has_crashed() const;
  bool has_live_steps() const;

  Result<Controller> connect() const;

 private:
  std::string base_;
};

// `down` closes the partitions (DOWN) while it ends running jobs, so that no queued job starts;
// `up` opens them again: those that the configuration does not close.
Result<void> open_partitions(const Embedded& cluster, Controller& controller, bool open);
Result<JobCounts> count_jobs(Controller& controller);
std::string counted(std::size_t count, std::string_view noun);  // "1 job", "2 jobs"
// What to type so that the commands find this cluster; empty if they find it anyway.
std::string how_to_find(const Embedded& cluster);

// `up` without output, for `down --force` after a crash: only the controller can end jobs.
Result<void> start_cluster(const Embedded& cluster, const UpOptions& options);

int muster_up(std::vector<std::string_view> args);
int muster_down(std::vector<std::string_view> args);
int muster_status(std::vector<std::string_view> args);
int muster_explain(std::vector<std::string_view> args);
int muster_sim(std::vector<std::string_view> args);
int muster_completion(std::vector<std::string_view> args);
int muster_complete(std::vector<std::string_view> args);

}  // namespace muster::cli
