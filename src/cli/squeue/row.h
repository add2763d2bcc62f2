// The data that squeue's rows point to.
#pragma once

#include <deque>
#include <string>

#include "cli/records/job_row.h"
#include "cli/records/step_row.h"
#include "cli/tables/step_commands.h"

namespace muster::cli {

struct QueueContext : RecordContext {
  std::deque<CommandOfStep> commands;
  std::deque<std::string> texts;
};

}  // namespace muster::cli
