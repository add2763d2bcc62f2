// What one call of srun will do: its options, the command, and the requests made from them.
#pragma once

#include <expected>
#include <string>
#include <string_view>
#include <vector>

#include "cli/lib/errors.h"
#include "cli/options/environment.h"
#include "cli/options/options.h"
#include "cli/srun/files.h"
#include "cli/srun/multi_prog.h"
#include "wire/client_messages.h"

namespace muster::cli {

inline constexpr std::string_view kSrun = "srun";
inline std::unexpected<Refusal> srun_refuses(std::string_view text) {
  return std::unexpected(Refusal{error_lines(kSrun, text), kExitFailure});
}

struct SrunPlan {
  explicit SrunPlan(JobOptions job_options) : options(std::move(job_options)), task(options.task) {}

  JobOptions options;
  TaskOptions task;                   // from options; make_plan() adds command, directory and so on
  std::string_view program = "srun";  // printed in front of messages
  bool is_observer = false;           // sattach: another srun started the step
  std::string submit_line, step_name;
  StreamTarget in, out, err;
  std::string bcast_source;      // the program that is copied to argv[0] on the nodes first
  bool sends_libraries = false;  // also its libraries
  std::vector<SrunPlan> parts;   // in further components of a heterogeneous job
};

std::expected<SrunPlan, Refusal> make_plan(JobOptions options, std::vector<std::string> command,
                                           std::string submit_line);

// For several commands in one job: the number of nodes in the job's environment is the total. A
// command without nodes and tasks of its own has one node.
void share_nodes_of_job(JobOptions& options, bool is_first);

// The request for srun's own allocation, outside of a job.
wire::SubmitRequest make_submit_request(const SrunPlan& plan);

// The address of this srun, for tasks.
struct LauncherAddress {
  std::string host = "127.0.0.1";
  std::uint32_t port = 0;
};
// `job` is the job of `plan` itself.
wire::StepRequest make_step_request(const SrunPlan& plan, JobId job,
                                    const LauncherAddress& launcher, const JobEnvironment& own);

}  // namespace muster::cli
