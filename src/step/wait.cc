// Waits for the step's processes: the tasks, and all orphans that they leave behind.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "step/signals.h"
#include "step/supervisor.h"
#include "step/tasks/task_programs.h"

namespace muster::step {

void Supervisor::wait_for_children() {
  signalfd_siginfo ignored[8];
  while (read(child_events_, ignored, sizeof ignored) == static_cast<ssize_t>(sizeof ignored)) {
  }
  while (true) {
    // A zombie's /proc still shows what it read and wrote; after the wait that is gone.
    siginfo_t ended{};
    if (waitid(P_ALL, 0, &ended, WEXITED | WNOHANG | WNOWAIT) != 0) children_left_ = false;
    const pid_t pid = ended.si_pid;
    if (pid == 0) return;
    const io::ProcessIo moved = io::read_process_io(pid);
    int status = 0;
    rusage used{};
    if (wait4(pid, &status, WNOHANG, &used) != pid) return;
    auto task = std::ranges::find(tasks_, pid, &Task::pid);
    if (!tasks_.empty())
      usage_.add_waited(used, moved, task == tasks_.end() ? tasks_.front().rank : task->rank);
    if (task != tasks_.end() && task->epilog == 0 && !task->ended) on_task_exited(*task, status);
    auto after = std::ranges::find(tasks_, pid, &Task::epilog);
    if (after != tasks_.end()) on_task_ended(*after);
  }
}

void Supervisor::on_task_exited(Task& task, int status) {
  task.wait_status = static_cast<std::uint32_t>(status);
  if (cgroup_ && (status & 0x7f) == SIGKILL)
    if (const std::uint64_t kills = cgroup_->oom_kills(); kills > oom_kills_) {
      oom_kills_ = kills;
      task.out_of_memory = true;
    }
  if (!has_task_epilog(setup_)) return on_task_ended(task);
  Environment environment = environment_of(task);
  environment.set("SLURM_TASK_PID", std::to_string(task.pid));
  Result<pid_t> epilog = start_task_epilog(setup_, std::move(environment), task.error_fd);
  close(task.error_fd);
  if (!epilog) {
    say(fmt::format("TaskEpilog: {}", epilog.error().text()));
    return on_task_ended(task);
  }
  task.epilog = *epilog;
}

void Supervisor::on_task_ended(Task& task) {
  const std::uint32_t status = task.wait_status;
  task.ended = true;
  stdio_.task_ended(task);
  if (status == 0 || !setup_.launch.task.kill_on_bad_exit || kill_at_) return;
  signal_all(SIGCONT);
  signal_all(SIGTERM);
  kill_at_ = Clock::now() + setup_.kill_wait;
}

}  // namespace muster::step
