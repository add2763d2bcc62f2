// Finds the step's processes and signals them.
#include "step/signals.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "io/process/processes.h"

namespace muster::step {

void adopt_orphans() { prctl(PR_SET_CHILD_SUBREAPER, 1); }

void signal_tasks(const std::vector<Task>& tasks, int number) {
  for (const Task& task : tasks)
    if (task.pid > 0 && task.epilog == 0 && !task.ended) kill(task.pid, number);
}

void signal_everything(int number) {
  for (pid_t pid : io::descendants(getpid())) kill(pid, number);
}

void signal_groups(const std::vector<Task>& tasks, int number) {
  for (const Task& task : tasks)
    if (task.pid > 0) kill(-task.pid, number);
}

bool is_any_group_left(const std::vector<Task>& tasks) {
  return std::ranges::any_of(
      tasks, [](const Task& task) { return task.pid > 0 && kill(-task.pid, 0) == 0; });
}

}  // namespace muster::step
