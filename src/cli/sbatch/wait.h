// sbatch --wait: stays until the job has ended.
#pragma once

#include "cli/lib/controller.h"

namespace muster::cli {

// The exit code that stands for these ended jobs (one, or the tasks of an array): the highest code
// of a script; 1 where one was ended by a signal or otherwise did not complete.
int exit_code_of(const std::vector<wire::JobView>& jobs);

// Waits over restarts of the controller.
int wait_for_end(Controller& controller, JobId job);

}  // namespace muster::cli
