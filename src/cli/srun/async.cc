// srun --async: checks its options, and queues the step.
#include "cli/srun/async.h"

#include <cstdio>

#include <fmt/format.h>

#include "base/text/strings.h"
#include "cli/srun/plan.h"

namespace muster::cli {

namespace {

// The nodes expand patterns: one file for all tasks, unless the pattern names tasks.
StreamTarget file_on_nodes(const StreamTarget& target) {
  using Kind = StreamTarget::Kind;
  return target.kind == Kind::file ? StreamTarget{Kind::nodes, 0, target.pattern} : target;
}

}  // namespace

Outcome plan_async(SrunPlan& plan) {
  using Kind = StreamTarget::Kind;
  JobOptions& options = plan.options;
  if (!options.async) return {};
  if (!options.job_id)
    return srun_refuses("--async queues a step of a job, and there is none here");
  if (!plan.parts.empty()) return srun_refuses("--async takes one command");
  if (options.task.pty || options.task.label || options.bcast)
    return srun_refuses("--pty, --label and --bcast do not go with --async");
  if (!options.mpi.empty() && !iequals(options.mpi, "none"))
    return srun_refuses("--async does not go with --mpi: its tasks find each other through srun");
  for (const StreamTarget* stream : {&plan.in, &plan.out, &plan.err})
    if (stream->kind == Kind::one_task)
      return srun_refuses("--async connects no single task: name a file");
  options.mpi = "none";
  if (plan.in.kind == Kind::own) plan.in.kind = Kind::nothing;
  if (plan.out.kind == Kind::own) plan.out = {Kind::nodes, 0, "slurm-%j.%s.out"};
  if (plan.err.kind == Kind::own) plan.err = plan.out;
  for (StreamTarget* stream : {&plan.in, &plan.out, &plan.err}) *stream = file_on_nodes(*stream);
  // The nodes of the step open the same file, at different times.
  if (options.spec.open_mode == OpenMode::unset) options.spec.open_mode = OpenMode::append;
  return {};
}

int queue_step(const SrunPlan& plan, SrunController& controller, JobId job) {
  auto reply = controller.create_step(job);
  if (!reply) return reply.error().exit_code;
  std::string id = fmt::format("{}.{}", job.value, step_name(reply->step));
  if (plan.options.parsable)
    fmt::print("{}\n", id);
  else if (!plan.options.quiet)
    print_info(kSrun, fmt::format("step {} queued", id));
  return std::fflush(stdout) == 0 ? 0 : failure_code();
}

}  // namespace muster::cli
