// SrunProlog and SrunEpilog, or --prolog and --epilog in their place: programs that srun itself
// runs, as its caller, around a step.
#pragma once

#include <string>

#include "cli/srun_plan.h"

namespace muster::cli {

// Runs it to its end with the step's command as arguments; how it ends means nothing. Nothing
// happens where there is no program. `context`: SLURM_SCRIPT_CONTEXT, "prolog_srun" or
// "epilog_srun".
void run_srun_program(const std::string& site_program, const std::string& context,
                      const SrunPlan& plan, JobId job, StepId step);

}  // namespace muster::cli
