// SrunProlog and SrunEpilog, or --prolog and --epilog instead: programs that srun runs itself, as
// its user, before and after a step.
#pragma once

#include <string>

#include "cli/srun/plan.h"

namespace muster::cli {

// What the programs are told about the step.
struct AroundStep {
  JobId job;
  StepId step;
  std::uint32_t tasks = 1, nodes = 1;
};

// Runs the program with the step's command as arguments. Returns its exit code; 0 if there is no
// program. `context`: SLURM_SCRIPT_CONTEXT, "prolog_srun" or "epilog_srun".
int run_srun_program(const std::string& site_program, const std::string& context,
                     const SrunPlan& plan, const AroundStep& around);

}  // namespace muster::cli
