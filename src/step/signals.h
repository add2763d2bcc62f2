// Signals to the step's processes. These are the descendants of this process, which is their
// subreaper; with proctrack/pgid only those that stay in the process groups of the tasks.
#pragma once

#include <vector>

#include "step/tasks/tasks.h"

namespace muster::step {

void adopt_orphans();  // PR_SET_CHILD_SUBREAPER
void signal_tasks(const std::vector<Task>& tasks, int number);
void signal_everything(int number);
void signal_groups(const std::vector<Task>& tasks, int number);
bool is_any_group_left(const std::vector<Task>& tasks);

}  // namespace muster::step
