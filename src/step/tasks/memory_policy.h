// Binding a task's memory to NUMA nodes: --mem-bind, where TaskPlugin=task/affinity is set. Without
// it only the variables tell of the wish, as in the reference.
#pragma once

#include <cstdint>

#include "model/binding/mem_bind.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// Sets SLURM_MEM_BIND and the related variables of a task. Returns what was asked for.
MemBind add_memory_variables(const StepSetup& setup, Environment& environment);

// In the task's own process, after its CPUs were bound. False if it must not start; why was
// said.
bool apply_memory_policy(const MemBind& bind, const StepSetup& setup, std::uint32_t local_id);

}  // namespace muster::step
