// Binds a task's memory to NUMA nodes: --mem-bind with TaskPlugin=task/affinity. Otherwise only the
// variables show the option, as in Slurm.
#pragma once

#include <cstdint>

#include "model/binding/mem_bind.h"
#include "step/logic/task_environment.h"
#include "wire/step_setup.h"

namespace muster::step {

// Sets SLURM_MEM_BIND and related variables of a task. Returns the requested binding.
MemBind add_memory_variables(const StepSetup& setup, Environment& environment);

// Call it in the task's own process, after its CPUs were bound. False if the task must not start;
// the reason has been printed.
bool apply_memory_policy(const MemBind& bind, const StepSetup& setup, std::uint32_t local_id);

}  // namespace muster::step
