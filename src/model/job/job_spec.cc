// Numbers that follow from several options of a job.
#include "model/job/job_spec.h"

#include <algorithm>

namespace muster {

const Cow<JobSpec>& JobSpec::none() {
  static const Cow<JobSpec> spec(JobSpec{});
  return spec;
}

std::string gres_of_each_node(const JobSpec& spec) {
  std::string all = as_gres(spec.gpus_per_node.view());
  if (!all.empty() && !spec.gres.empty()) all += ',';
  return all += spec.gres.view();
}

std::uint32_t least_cpus_per_node(const JobSpec& spec) {
  const bool several = spec.num_tasks != 1u && !spec.overcommit;
  const std::uint32_t tasks = several ? std::max(1u, spec.ntasks_per_node.value_or(1)) : 1;
  return std::max(spec.min_cpus_per_node.value_or(1), tasks * spec.cpus_per_task.value_or(1));
}

}  // namespace muster
