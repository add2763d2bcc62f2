// Starts a task: fork, become the user, exec.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "io/cgroup/cgroup.h"
#include "step/logic/task_environment.h"
#include "step/tasks/affinity.h"
#include "step/tasks/files.h"
#include "step/tasks/memory_policy.h"
#include "step/tasks/setup.h"
#include "wire/step_setup.h"

namespace muster::step {

struct Task {
  std::uint32_t local_id = 0, rank = 0;
  pid_t pid = 0;
  pid_t epilog = 0;   // its TaskEpilog, after the task has ended
  int error_fd = -1;  // for errors of the TaskEpilog
  bool ended = false;
  std::uint32_t wait_status = 0;
  bool out_of_memory = false;
};

// Everything that a task's process needs, prepared before the fork.
struct TaskPlan {
  std::vector<std::string> argv;
  Environment environment{{}};
  TaskFiles files;
  std::vector<ResourceLimit> limits;
  bool pty = false;
  std::uint32_t local_id = 0;
  TaskBinding binding;
  MemBind memory;
  int inherited_fd = -1;               // besides its streams
  const io::Cgroup* cgroup = nullptr;  // the step's, if any
};

// The supervisor's ends of the pipes to the task; -1 for a stream that is a file. A terminal's
// master end is both in and out (two descriptors), and there is no err.
struct TaskPipes {
  int in = -1, out = -1, err = -1;
};
struct StartedTask {
  pid_t pid = 0;
  TaskPipes pipes;
  int error_fd = -1;  // a copy of the task's own, for a TaskEpilog
};
Result<StartedTask> start_task(const StepSetup& setup, TaskPlan plan);

}  // namespace muster::step
