// SrunProlog and SrunEpilog: programs of the site that srun itself runs, as its caller, around a
// step.
#pragma once

#include <string>

#include "cli/srun_plan.h"

namespace muster::cli {

// Runs it to its end with the step's command as arguments; how it ends means nothing. Nothing
// happens where there is no program. `context`: SLURM_SCRIPT_CONTEXT.
void run_srun_program(const std::string& program, const std::string& context, const SrunPlan& plan,
                      JobId job, StepId step);

}  // namespace muster::cli
