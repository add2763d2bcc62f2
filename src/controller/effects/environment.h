// The SLURM_* and GPU variables that follow from a job's allocation. Those of a single task (rank,
// process id, node name) are added on the node.
#pragma once

#include <string_view>

#include "controller/effects/variables.h"
#include "model/cluster.h"

namespace muster::controller {

// For everything that runs in the job on `node`.
Variables job_variables(const Cluster& cluster, const Job& job, NodeId node);
// ... and what its script asks for again in its steps: sbatch did not know the site's defaults.
Variables batch_variables(const Cluster& cluster, const Job& job, NodeId node);
// What a step adds and changes.
Variables step_variables(const Cluster& cluster, const Job& job, const Step& step, NodeId node);

// CUDA_VISIBLE_DEVICES and its like: a step has its own or none.
bool is_gpu_variable(std::string_view name);

}  // namespace muster::controller
