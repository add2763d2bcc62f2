// srun --bcast: the program is copied to the step's nodes before its tasks start.
#pragma once

#include "cli/lib/controller.h"
#include "cli/srun/plan.h"

namespace muster::cli {

// Decides where the program goes, and changes the plan's command accordingly.
Outcome plan_bcast(SrunPlan& plan);

// False if a node did not get the program; errors have been printed.
bool send_program(const SrunPlan& plan, JobId job, StepId step);

}  // namespace muster::cli
