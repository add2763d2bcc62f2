// Signals to the step's processes. All of them are this process's descendants: it is their
// subreaper.
#pragma once

#include <vector>

#include "step/tasks.h"

namespace muster::step {

void adopt_orphans();  // PR_SET_CHILD_SUBREAPER
void signal_tasks(const std::vector<Task>& tasks, int number);
void signal_everything(int number);

}  // namespace muster::step
