// Waiting for the step's processes: the tasks and every orphan they leave behind.
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "step/signals.h"
#include "step/supervisor.h"

namespace muster::step {

void Supervisor::wait_for_children() {
  signalfd_siginfo ignored[8];
  while (read(child_events_, ignored, sizeof ignored) == static_cast<ssize_t>(sizeof ignored)) {
  }
  while (true) {
    int status = 0;
    rusage used{};
    pid_t pid = wait4(-1, &status, WNOHANG, &used);
    if (pid < 0) children_left_ = false;
    if (pid <= 0) return;
    auto task = std::ranges::find(tasks_, pid, &Task::pid);
    usage_.add_waited(used, task == tasks_.end() ? tasks_.front().rank : task->rank);
    if (task != tasks_.end()) on_task_ended(*task, status);
  }
}

void Supervisor::on_task_ended(Task& task, int status) {
  task.ended = true;
  task.wait_status = static_cast<std::uint32_t>(status);
  stdio_.task_ended(task);
  if (status == 0 || !setup_.launch.kill_on_bad_exit || kill_at_) return;
  signal_everything(SIGCONT);
  signal_everything(SIGTERM);
  kill_at_ = Clock::now() + setup_.kill_wait;
}

}  // namespace muster::step
