// TaskProlog and TaskEpilog: programs of the site that run around every task, as its user.
#pragma once

#include <sys/types.h>

#include <string>

#include "base/result.h"
#include "node/step_setup.h"
#include "node/task_environment.h"

namespace muster::step {

// In the task's own process, before it becomes the task. The program may write lines to its
// standard output: "export NAME=value" and "unset NAME" change the task's environment, "print TEXT"
// writes TEXT to the task's output; others mean nothing. Returns the program's exit code.
int run_task_prolog(const std::string& program, Environment& environment);

bool has_task_epilog(const StepSetup& setup);
// After the task has ended: srun's own, then the site's. Their errors go to error_fd, their output
// nowhere.
Result<pid_t> start_task_epilog(const StepSetup& setup, Environment environment, int error_fd);

}  // namespace muster::step
