// Binds tasks to CPUs: --cpu-bind, and the default of TaskPlugin=task/affinity.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text/idset.h"
#include "model/binding/cpu_bind.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// The CPUs of this machine, as the kernel lists them.
CpuLayout read_cpu_layout();

// The CPUs of a task, computed before its fork. Also sets SLURM_CPU_BIND and related variables.
struct TaskBinding {
  std::optional<IdSet> cpus;  // unset = those of the step
  bool verbose = false;
  std::string_view label = "NULL";  // the kind of binding, for the verbose line
};
TaskBinding bind_task(const StepSetup& setup, std::uint32_t local_id, Environment& environment);

// Call it in the task's own process, with its streams in place: the verbose line goes to its
// stderr.
void apply_binding(const TaskBinding& binding, const StepSetup& setup, std::uint32_t local_id);

}  // namespace muster::step
