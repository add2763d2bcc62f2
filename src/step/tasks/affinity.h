// Binding tasks to CPUs: --cpu-bind, and what TaskPlugin=task/affinity does without being asked.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "base/text/idset.h"
#include "model/binding/cpu_bind.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// This machine's CPUs as the kernel lists them.
CpuLayout read_cpu_layout();

// The task's CPUs, computed before its fork. Also sets SLURM_CPU_BIND and the related variables.
struct TaskBinding {
  std::optional<IdSet> cpus;  // unset = as the step
  bool verbose = false;
  std::string_view label = "NULL";  // of the kind, in what is said of it
};
TaskBinding bind_task(const StepSetup& setup, std::uint32_t local_id, Environment& environment);

// In the task's own process, after its streams are in place: what is said goes to its stderr.
void apply_binding(const TaskBinding& binding, const StepSetup& setup, std::uint32_t local_id);

}  // namespace muster::step
