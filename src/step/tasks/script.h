// The batch script's own copy on the node, SlurmdSpoolDir/jobNNNNN/slurm_script.
#pragma once

#include <string>

#include "base/result.h"
#include "wire/step_setup.h"

namespace muster::step {

// Its path. A full disk is ErrorCode::state_storage_full.
Result<std::string> spool_script(const StepSetup& setup);
void remove_script(const StepSetup& setup);

}  // namespace muster::step
