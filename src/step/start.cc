// Starting the tasks: what each one runs, with which environment, files and process manager.
#include <chrono>
#include <csignal>
#include <utility>

#include "step/signals.h"
#include "step/supervisor.h"

namespace muster::step {
namespace {

using namespace std::chrono_literals;

constexpr auto kFirstSample = 500ms;

// The task writes to pipes then, and we to the files.
TaskFiles take_outputs(TaskFiles& files) {
  return {.out = std::exchange(files.out, kToClient), .err = std::exchange(files.err, kToClient)};
}

}  // namespace

Result<void> Supervisor::start_mpi() {
  mpi_ = make_mpi(setup_, {.exchange = exchange_,
                           .say = [this](std::string_view text) { say(text); },
                           .abort = [this](std::string_view text) { abort(text); }});
  return mpi_ ? mpi_->begin() : Result<void>{};
}

void Supervisor::start_tasks() {
  started_ = true;
  for (std::size_t i = 0; i < tasks_.size(); ++i) {
    Result<void> begun = start_one(i);
    if (begun) continue;
    fail_launch(begun.error());
    for (Task& task : tasks_)
      if (task.pid == 0) task.ended = true;
    signal_all(SIGKILL);
    break;
  }
  write_note();
  // The first sample comes early, so that short steps have one.
  if (setup_.sample_every > Seconds{0}) next_sample_ = Clock::now() + kFirstSample;
}

Result<void> Supervisor::start_one(std::size_t index) {
  Task& task = tasks_[index];
  Result<TaskFiles> files = files_->open_for(task.rank);
  if (!files) return std::unexpected(files.error());

  TaskPlan plan;
  plan.argv = task_argv(task.rank);
  plan.environment = environment_of(task);
  plan.local_id = task.local_id;
  plan.binding = bind_task(setup_, task.local_id, plan.environment);
  plan.memory = add_memory_variables(setup_, plan.environment);
  const TaskFiles labelled = setup_.launch.task.label ? take_outputs(*files) : TaskFiles{};
  plan.files = *files;
  plan.limits = limits_;
  plan.pty = setup_.launch.task.pty && index == 0;
  plan.cgroup = cgroup_.get();
  if (mpi_) {
    Result<int> inherited = mpi_->add_task(index, plan.environment);
    if (!inherited) return std::unexpected(inherited.error());
    plan.inherited_fd = *inherited;
  }
  Result<StartedTask> started = start_task(setup_, std::move(plan));
  if (!started) return std::unexpected(started.error());
  if (mpi_) mpi_->task_started(index);
  task.pid = started->pid;
  task.error_fd = started->error_fd;
  children_left_ = true;
  stdio_.add_task(task, started->pipes, labelled);
  return {};
}

Environment Supervisor::environment_of(const Task& task) const {
  Environment environment = environment_;
  add_task_variables(environment, setup_, task.local_id);
  return environment;
}

std::vector<std::string> Supervisor::task_argv(std::uint32_t rank) const {
  const wire::StepLaunch& launch = setup_.launch;
  if (!is_batch()) {
    auto own = launch.task.argv_by_rank.find(rank);
    return own == launch.task.argv_by_rank.end() ? launch.task.argv : own->second;
  }
  std::vector<std::string> argv{script_path_};
  argv.insert(argv.end(), launch.task.argv.begin(), launch.task.argv.end());
  return argv;
}

// The srun ends the step on all of its nodes.
void Supervisor::abort(std::string_view text) {
  if (stdio_.has_client()) return stdio_.abort(text);
  say(text);
  signal_all(SIGKILL);
}

}  // namespace muster::step
