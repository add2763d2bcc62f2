// srun --async: the step is queued with the controller and srun returns. It starts when there is
// room, and its output goes to a file that the nodes open.
#pragma once

#include "cli/srun/allocation.h"

namespace muster::cli {

// Adapts the plan to a step without an srun; refuses options that need one.
Outcome plan_async(SrunPlan& plan);

// Queues the step and prints its number. Returns srun's exit code.
int queue_step(const SrunPlan& plan, SrunController& controller, JobId job);

}  // namespace muster::cli
