// The job that a command runs in, if any, and what a command does that ends its own job.
#pragma once

#include <string>

#include "base/ids.h"

namespace muster::cli {

std::string own_job_text();  // SLURM_JOB_ID; empty outside of jobs
JobId own_job();             // 0 outside of jobs

// A command that ends or requeues its own job also gets the job's SIGTERM. It ignores the signal,
// so that it can report the result before it ends.
void outlive_end_of(JobId own);

}  // namespace muster::cli
