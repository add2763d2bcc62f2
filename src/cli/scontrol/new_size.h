// After a job gave nodes back, its variables describe its old size. Two files set the new values in
// its shell.
#pragma once

#include "cli/scontrol/session.h"

namespace muster::cli {

// Does nothing for a caller outside of the job, who does not have these variables.
void write_new_size(ScontrolSession& session, const wire::JobRef& job);

}  // namespace muster::cli
