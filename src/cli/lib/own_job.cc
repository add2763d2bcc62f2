// Finds the job that a command runs in.
#include "cli/lib/own_job.h"

#include <csignal>
#include <cstdlib>

#include "base/text/strings.h"

namespace muster::cli {

std::string own_job_text() {
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOBID"})
    if (const char* value = std::getenv(name)) return value;
  return {};
}

JobId own_job() { return JobId{parse_number<std::uint32_t>(own_job_text()).value_or(0)}; }

void outlive_end_of(JobId own) {
  if (own) std::signal(SIGTERM, SIG_IGN);
}

}  // namespace muster::cli
