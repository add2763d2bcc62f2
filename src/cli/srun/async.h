// srun --async: the step is queued with the controller and srun returns. It starts when there is
// room, and its output goes to a file that the nodes open.
#pragma once

#include "cli/srun/allocation.h"

namespace muster::cli {

// What the plan means without an srun that stays; refused is what needs one.
Outcome plan_async(SrunPlan& plan);

// Queues the step and says its number. Gives srun's exit code.
int queue_step(const SrunPlan& plan, SrunController& controller, JobId job);

}  // namespace muster::cli
