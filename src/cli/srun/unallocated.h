// srun --no-allocate: tasks on the nodes of -w, in no job. Only the administrator may.
#pragma once

#include "cli/srun/allocation.h"

namespace muster::cli {

// Refused is what needs an allocation, or leaves open which nodes are meant.
Outcome check_unallocated(JobOptions& options);

// The step's request, with a number in place of a job id that no job has.
wire::StepRequest unallocated_request(wire::StepRequest request);

// Says why it was not launched, and gives srun's exit code.
int say_not_launched(const wire::StepRequest& request, const Error& error);

}  // namespace muster::cli
