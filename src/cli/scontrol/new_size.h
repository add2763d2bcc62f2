// A job that gave nodes back has variables of its old size: two files tell its shell the new ones.
#pragma once

#include "cli/scontrol/session.h"

namespace muster::cli {

// Nothing for a caller outside of the job, whose variables they would not be.
void write_new_size(ScontrolSession& session, const wire::JobRef& job);

}  // namespace muster::cli
