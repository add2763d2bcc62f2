// The batch script's own copy on the node, SlurmdSpoolDir/jobNNNNN/slurm_script.
#pragma once

#include <string>

#include "base/result.h"
#include "node/step_setup.h"

namespace muster::step {

Result<std::string> spool_script(const StepSetup& setup);  // its path
void remove_script(const StepSetup& setup);

}  // namespace muster::step
