// The SLURM_* and GPU variables that follow from a job's allocation. The node adds those of single
// tasks (rank, process id, node name).
#pragma once

#include <string_view>

#include "controller/effects/variables.h"
#include "model/cluster.h"

namespace muster::controller {

// For everything that the job runs on `node`.
Variables job_variables(const Cluster& cluster, const Job& job, NodeId node);
// For the batch script: also the options that its steps inherit, because sbatch did not know the
// site's defaults.
Variables batch_variables(const Cluster& cluster, const Job& job, NodeId node);
// Variables that a step adds or changes.
Variables step_variables(const Cluster& cluster, const Job& job, const Step& step, NodeId node);

// CUDA_VISIBLE_DEVICES and similar: a step has its own value, or none.
bool is_gpu_variable(std::string_view name);

}  // namespace muster::controller
