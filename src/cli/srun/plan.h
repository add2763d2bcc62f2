// What one call of srun comes to: its options, the command, and the requests that follow from them.
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
  TaskOptions task;  // from the options; make_plan() adds the command, directory and so on
  std::string_view program = "srun";  // the name in front of messages
  bool is_observer = false;           // sattach: another srun started the step
  std::string submit_line, step_name;
  StreamTarget in, out, err;
  std::string bcast_source;      // the program that goes to argv's place on the nodes first
  bool sends_libraries = false;  // of that program
  std::vector<SrunPlan> parts;   // in further components of a heterogeneous job
};

std::expected<SrunPlan, Refusal> make_plan(JobOptions options, std::vector<std::string> command,
                                           std::string submit_line);

// For one of several commands in one job: the number of nodes that came with the job's environment
// is that of all. A command that says nothing of nodes or tasks has one node.
void share_nodes_of_job(JobOptions& options, bool is_first);

// The allocation that srun makes for itself outside of a job.
wire::SubmitRequest make_submit_request(const SrunPlan& plan);

// The address of this srun that tasks are told.
struct LauncherAddress {
  std::string host = "127.0.0.1";
  std::uint32_t port = 0;
};
// `job` is the one of the plan itself.
wire::StepRequest make_step_request(const SrunPlan& plan, JobId job,
                                    const LauncherAddress& launcher, const JobEnvironment& own);

}  // namespace muster::cli
