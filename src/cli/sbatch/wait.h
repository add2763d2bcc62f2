// sbatch --wait: waits until the job has ended.
#pragma once

#include "cli/lib/controller.h"

namespace muster::cli {

// The exit code for these ended jobs (one job, or the tasks of an array): the highest exit code of
// a script, or 1 if one was ended by a signal or did not complete.
int exit_code_of(const std::vector<wire::JobView>& jobs);

// Keeps waiting if the controller restarts.
int wait_for_end(Controller& controller, JobId job);

}  // namespace muster::cli
