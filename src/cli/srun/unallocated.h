// srun --no-allocate: tasks on the nodes of -w, in no job. Only for administrators.
#pragma once

#include "cli/srun/allocation.h"

namespace muster::cli {

// Refuses options that need an allocation or leave the nodes open.
Outcome check_unallocated(JobOptions& options);

// The step's request, with a job id that no job has.
wire::StepRequest unallocated_request(wire::StepRequest request);

// Prints why the step was not launched. Returns srun's exit code.
int say_not_launched(const wire::StepRequest& request, const Error& error);

}  // namespace muster::cli
