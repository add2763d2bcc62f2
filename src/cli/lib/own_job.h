// The job that a command runs in, if any, and what changes when the command asks for its end.
#pragma once

#include <string>

#include "base/ids.h"

namespace muster::cli {

std::string own_job_text();  // SLURM_JOB_ID; empty outside of jobs
JobId own_job();             // 0 outside of jobs

// A command that ends or requeues its own job also gets the job's SIGTERM. It is about to end
// anyway, so it reports the result first.
void outlive_end_of(JobId own);

}  // namespace muster::cli
