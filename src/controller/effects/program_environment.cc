// Makes the environment of site programs.
#include "controller/effects/program_environment.h"

#include <fmt/format.h>

#include "base/text/duration.h"
#include "controller/effects/environment.h"
#include "controller/effects/mail.h"
#include "model/job/task_count.h"

namespace muster::controller {
namespace {

// The job's own variables that programs get, on nodes and on the controller.
constexpr const char* kFromJob[] = {
    "SLURM_ARRAY_JOB_ID",
    "SLURM_ARRAY_TASK_COUNT",
    "SLURM_ARRAY_TASK_ID",
    "SLURM_ARRAY_TASK_MAX",
    "SLURM_ARRAY_TASK_MIN",
    "SLURM_ARRAY_TASK_STEP",
    "SLURM_CLUSTER_NAME",
    "SLURM_JOBID",
    "SLURM_JOB_CPUS_PER_NODE",
    "SLURM_JOB_GID",
    "SLURM_JOB_ID",
    "SLURM_JOB_NUM_NODES",
    "SLURM_JOB_PARTITION",
    "SLURM_JOB_RESERVATION",
    "SLURM_JOB_UID",
    "SLURM_JOB_USER",
};
constexpr const char* kOnNode[] = {"CUDA_VISIBLE_DEVICES", "GPU_DEVICE_ORDINAL",
                                   "ROCR_VISIBLE_DEVICES", "SLURM_JOB_GPUS",
                                   "SLURM_NODELIST",       "ZE_AFFINITY_MASK"};
constexpr const char* kOnController[] = {"SLURM_JOB_ACCOUNT", "SLURM_JOB_NODELIST"};

Variables common(const Job& job, const Variables& all) {
  const JobSpec& spec = *job.spec;
  Variables v;
  for (const char* name : kFromJob) v.copy(name, all);
  v.set("SLURM_JOB_RESTART_COUNT", std::to_string(job.restarts));
  v.set("SLURM_JOB_WORK_DIR", job.own.work_dir.view());
  v.set("SLURM_JOB_NAME", job.own.name.view());
  if (!job.own.comment.empty()) v.set("SLURM_JOB_COMMENT", job.own.comment.view());
  if (!spec.features.empty()) v.set("SLURM_JOB_CONSTRAINTS", spec.features.view());
  if (!spec.licenses.empty()) v.set("SLURM_JOB_LICENSES", spec.licenses.view());
  return v;
}

// The system cannot start a program with a longer string (128 KiB). A job with such a string would
// make the Prolog fail on every node.
constexpr std::size_t kLongestVariable = 32u << 10;

std::vector<std::string> strings_of(Variables v) {
  std::vector<std::string> strings = std::move(v).take().strings();
  for (std::string& string : strings)
    if (string.size() > kLongestVariable) string.resize(kLongestVariable);
  return strings;
}

void add_exit_codes(const Job& job, Variables& v) {
  // A job that is being ended has no exit code yet, but its batch script may have one.
  auto batch = job.run->steps.find(kBatchStep);
  const bool over = is_ended(job.state) || batch == job.run->steps.end();
  const std::uint32_t status = over ? job.run->exit_status : batch->second.exit_status;
  v.set("SLURM_JOB_EXIT_CODE", std::to_string(status));
  v.set("SLURM_JOB_EXIT_CODE2", fmt::format("{}:{}", status >> 8 & 0xff, status & 0x7f));
  v.set("SLURM_JOB_DERIVED_EC", std::to_string(job.run->derived_exit_status));
}

Variables on_node(const Cluster& cluster, const Job& job, const Node& node) {
  const Variables all = job_variables(cluster, job, node.id);
  Variables v = common(job, all);
  for (const char* name : kOnNode) v.copy(name, all);
  v.set("SLURM_JOB_NTASKS", std::to_string(task_count(job)));
  v.set("SLURM_UID", std::to_string(job.spec->uid.value));
  return v;
}

Variables on_controller(const Cluster& cluster, const Job& job) {
  const Variables all = job_variables(cluster, job, {});
  Variables v = common(job, all);
  for (const char* name : kOnController) v.copy(name, all);
  return v;
}

}  // namespace

std::vector<std::string> prolog_environment(const Cluster& cluster, const Job& job,
                                            const Node& node) {
  Variables v = on_node(cluster, job, node);
  v.set("SLURM_SCRIPT_CONTEXT", "prolog_slurmd");
  return strings_of(std::move(v));
}

std::vector<std::string> epilog_environment(const Cluster& cluster, const Job& job,
                                            const Node& node) {
  Variables v = on_node(cluster, job, node);
  v.set("SLURM_SCRIPT_CONTEXT", "epilog_slurmd");
  add_exit_codes(job, v);
  return strings_of(std::move(v));
}

std::vector<std::string> prolog_slurmctld_environment(const Cluster& cluster, const Job& job) {
  Variables v = on_controller(cluster, job);
  v.set("SLURM_SCRIPT_CONTEXT", "prolog_slurmctld");
  return strings_of(std::move(v));
}

std::vector<std::string> epilog_slurmctld_environment(const Cluster& cluster, const Job& job) {
  Variables v = on_controller(cluster, job);
  v.set("SLURM_SCRIPT_CONTEXT", "epilog_slurmctld");
  add_exit_codes(job, v);
  return strings_of(std::move(v));
}

std::vector<std::string> mail_environment(const Cluster& cluster, const Job& job,
                                          std::string_view occasion, Time now) {
  Variables v = on_controller(cluster, job);
  v.set("SLURM_JOB_MAIL_TYPE", occasion);
  v.set("SLURM_JOB_STATE", state_name(job.state));
  auto elapsed = [](Millis span) { return format_elapsed(std::chrono::floor<Seconds>(span)); };
  if (is_ended(job.state)) {
    add_exit_codes(job, v);
    v.set("SLURM_JOB_RUN_TIME", elapsed(job.run_time(now)));
    const ArrayExits& exits = job.array->exits;
    const bool whole = job.array_id && !(job.spec->mail_type & kMailArrayTasks);
    v.set("SLURM_JOB_EXIT_CODE_MAX",
          std::to_string(whole ? exits.max_code : job.run->exit_status >> 8 & 0xff));
    if (whole) v.set("SLURM_JOB_EXIT_CODE_MIN", std::to_string(exits.min_code));
  } else if (job.state == JobState::running) {
    v.set("SLURM_JOB_QUEUED_TIME", elapsed(queued_time(job)));
  }
  return strings_of(std::move(v));
}

}  // namespace muster::controller
