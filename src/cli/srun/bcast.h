// srun --bcast: the program goes to the step's nodes before its tasks start there.
#pragma once

#include "cli/lib/controller.h"
#include "cli/srun/plan.h"

namespace muster::cli {

// Where the program goes, and the plan's command with that in its place.
Outcome plan_bcast(SrunPlan& plan);

// False where a node did not get it; what was wrong has been said.
bool send_program(const SrunPlan& plan, JobId job, StepId step);

}  // namespace muster::cli
