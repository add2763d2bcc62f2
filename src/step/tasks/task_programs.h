// TaskProlog and TaskEpilog, and srun's --task-prolog and --task-epilog: programs that run as the
// user before and after every task.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// Runs in the task's own process, before it becomes the task. The program may write lines to its
// standard output: "export NAME=value" and "unset NAME" change the task's environment, "print TEXT"
// writes TEXT to the task's output; other lines are ignored. The site's program runs before srun's.
// Returns the exit code of the first that fails.
int run_task_prologs(const StepSetup& setup, Environment& environment);

bool has_task_epilog(const StepSetup& setup);
// Runs after the task has ended; srun's program runs before the site's. Errors go to error_fd,
// output is discarded. The returned process waits for both.
Result<pid_t> start_task_epilog(const StepSetup& setup, Environment environment, int error_fd);

}  // namespace muster::step
