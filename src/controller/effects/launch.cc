// Makes the launch orders of batch scripts, extern steps and steps.
#include "controller/effects/launch.h"

#include <algorithm>

#include "base/check.h"
#include "base/text/strings.h"
#include "controller/effects/environment.h"
#include "sched/request/request.h"

namespace muster::controller {

namespace {

// The caller's variables, except for those that the allocation determines. Its GPU
// variables are dropped if the allocation has GPUs.
StringBlock merged(const std::vector<std::string>& environment, Variables variables) {
  // Only the batch shell is given SLURM_JOB_GPUS; steps inherit it in their environment.
  const bool has_gpus = variables.erase("SLURM_JOB_GPUS");
  StringBlock list;
  for (const std::string& entry : environment) {
    std::string_view name = std::string_view(entry).substr(0, entry.find('='));
    bool ours = variables.contains(name) || (has_gpus && is_gpu_variable(name));
    if (!ours) list.push_back(entry);
  }
  list.append(std::move(variables).take());
  return list;
}

std::vector<Text> device_files(const Node& node, const NodeShare& share) {
  std::vector<Text> files;
  auto add = [&](const GresPool& pool, const IdSet& held) {
    auto indices = pool.indices.ids();
    for (std::size_t i = 0; i < indices.size() && i < pool.files.size(); ++i)
      if (held.contains(indices[i]))
        for (std::string_view file : split(pool.files[i].view(), ',')) files.emplace_back(file);
  };
  for (const GresShare& held : share.gres)
    for (const GresPool& pool : node.config.gres) {
      if (pool.name == held.name && pool.type == held.type) add(pool, held.indices);
      if (pool.name == "gpu" && !held.devices.empty()) add(pool, held.devices);
    }
  return files;
}

wire::StepLaunch common(const Cluster& cluster, const Job& job, StepId step, NodeId node) {
  const JobSpec& spec = *job.spec;
  wire::StepLaunch launch;
  launch.ref = {job.id, job.attempt, step};
  launch.uid = spec.uid;
  launch.gid = spec.gid;
  launch.user_name = spec.user_name;
  launch.job_name = job.own.name;
  launch.array_id = job.array_id;
  launch.task_id = job.task_id;
  launch.restarts = job.restarts;
  for (std::size_t i = 0; i < job.run->allocation.size(); ++i) {
    if (job.run->allocation[i].node != node) continue;
    launch.share = job.run->allocation[i];
    launch.memory_limit_mib = launch.share.memory_mib;
    launch.device_files = device_files(cluster.nodes.at(node), launch.share);
  }
  return launch;
}

// SLURM_DISTRIBUTION as tasks see it: the block size of "plane" is in a variable of its own.
void add_distribution(const wire::StepRequest& request, const Step& step, Variables& variables) {
  std::string_view text = request.distribution;
  if (text.empty()) text = step.num_tasks > step.nodes.size() ? "block" : "cyclic";
  variables.set("SLURM_DISTRIBUTION", text.substr(0, text.find('=')));
  if (istarts_with(text, "plane=")) variables.set("SLURM_DIST_PLANESIZE", text.substr(6));
}

// srun outside of a job: some variables describe the job that srun made, others are left out.
void describe_own_job(const Job& job, NodeId node, const wire::StepRequest& request,
                      Variables& variables) {
  const Text& line = job.own.submit_line;
  if (job.spec->kind != JobKind::allocation || line.empty() || line != request.submit_line) return;
  variables.erase("SLURM_NODE_ALIASES");
  variables.erase("SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0");
  if (request.distribution.empty()) variables.erase("SLURM_DISTRIBUTION");
  auto share = std::ranges::find(job.run->allocation, node, &NodeShare::node);
  if (share != job.run->allocation.end())
    variables.set("SLURM_CPUS_ON_NODE", std::to_string(share->cpus.size()));
}

std::string value_of(const std::vector<std::string>& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry[name.size()] == '=' && entry.starts_with(name))
      return entry.substr(name.size() + 1);
  return {};
}

// Keep the user's own MASTER_ADDR and MASTER_PORT, unless an enclosing step set them.
void keep_own_meeting_point(const std::vector<std::string>& environment, Variables& variables) {
  std::string address = value_of(environment, "MASTER_ADDR");
  std::string port = value_of(environment, "MASTER_PORT");
  if (value_of(environment, "SLURM_STEP_RENDEZVOUS") == address + ":" + port) return;
  if (!address.empty()) variables.erase("MASTER_ADDR");
  if (!port.empty()) variables.erase("MASTER_PORT");
}

// If several commands run in one job: the command of this node.
const wire::StepRequest& part_on(NodeId node, const Step& step, const wire::StepRequest& whole) {
  auto place = std::ranges::find(step.nodes, node, &StepNode::node);
  CHECK(place != step.nodes.end() && !place->ranks.empty());
  std::uint32_t rank = place->ranks.front() - step.het.first_task;
  const wire::StepRequest* part = &whole;
  for (const wire::StepRequest& next : whole.parts) {
    std::uint32_t tasks = part->num_tasks.value_or(1);
    if (rank < tasks) break;
    rank -= tasks;
    part = &next;
  }
  return *part;
}

// srun -E
void keep_own_counts(const std::vector<std::string>& environment, Variables& variables) {
  for (const char* name : {"SLURM_NNODES", "SLURM_JOB_NUM_NODES", "SLURM_NTASKS", "SLURM_NPROCS",
                           "SLURM_TASKS_PER_NODE"})
    if (!value_of(environment, name).empty()) variables.erase(name);
}

// If the request does not say how to open an existing output file: later pieces and retries add to
// what is there, others do as JobFileAppend says.
OpenMode open_mode(const Cluster& cluster, const Job& job, OpenMode asked) {
  const bool goes_on = job.restarts > 0 && (job.spec->chunk > Minutes{0} || job.spec->retries > 0 ||
                                            job.spec->retry_oom_percent > 0);
  const bool appends = goes_on || cluster.settings().job_file_append == "1";
  return asked == OpenMode::unset && appends ? OpenMode::append : asked;
}

}  // namespace

OutgoingOrder batch_launch(const Cluster& cluster, const Job& job, Secret key) {
  const JobSpec& spec = *job.spec;
  NodeId node = job.run->steps.at(kBatchStep).nodes.front().node;
  wire::StepLaunch launch = common(cluster, job, kBatchStep, node);
  for (const Text& arg : job.own.script_args) launch.task.argv.push_back(arg.str());
  launch.environment = batch_variables(cluster, job, node).take();
  launch.task.work_dir = job.own.work_dir;
  launch.task.std_in = job.own.std_in;
  launch.task.std_out = job.own.std_out;
  launch.task.std_err = job.own.std_err;
  launch.task.open_mode = open_mode(cluster, job, spec.open_mode);
  launch.task.umask = spec.umask;
  launch.get_user_env = spec.get_user_env;
  launch.ranks = {0};
  launch.watch_key = std::move(key);
  return {wire::LaunchOrder{std::move(launch)}, job.own.script_blob, job.own.environment_blob};
}

OutgoingOrder extern_launch(const Cluster& cluster, const Job& job, NodeId node) {
  return {wire::LaunchOrder{common(cluster, job, kExternStep, node)}, {}, {}};
}

// The value that all of the step's nodes share, else the partition's, else the cluster's.
Text default_cpu_bind(const Cluster& cluster, const Job& job, const Step& step) {
  Text bind = cluster.nodes.at(step.nodes.front().node).config.cpu_bind;
  for (const StepNode& place : step.nodes)
    if (cluster.nodes.at(place.node).config.cpu_bind != bind) bind = {};
  const Partition* partition = cluster.partition_of(job);
  if (bind.empty() && partition) bind = partition->cpu_bind;
  return bind.empty() ? cluster.settings().cpu_bind : bind;
}

OutgoingOrder step_launch(const Cluster& cluster, const Job& job, const Step& step, NodeId node,
                          const wire::StepRequest& whole, Secret key) {
  const wire::StepRequest& request = part_on(node, step, whole);
  wire::StepLaunch launch = common(cluster, job, step.id, node);
  for (std::size_t i = 0; i < step.nodes.size(); ++i) {
    if (step.nodes[i].node != node) continue;
    launch.node_index = step.het.first_node + static_cast<std::uint32_t>(i);
    launch.ranks = step.nodes[i].ranks;
    launch.share = step.nodes[i].share;
    launch.memory_limit_mib = launch.share.memory_mib;
    launch.device_files = device_files(cluster.nodes.at(node), launch.share);
  }
  Variables variables = step_variables(cluster, job, step, node);
  add_distribution(request, step, variables);
  describe_own_job(job, node, request, variables);
  launch.task = request.task;
  TaskOptions& task = launch.task;
  if (task.open_mode == OpenMode::unset) task.open_mode = job.spec->open_mode;
  task.open_mode = open_mode(cluster, job, task.open_mode);
  task.rendezvous = step.meeting_port != 0;
  if (task.cpu_bind.empty()) task.cpu_bind = default_cpu_bind(cluster, job, step);
  if (step.meeting_port) keep_own_meeting_point(request.environment, variables);
  if (request.preserve_env) keep_own_counts(request.environment, variables);
  launch.environment = merged(request.environment, std::move(variables));
  launch.num_tasks = step.het.is_part() ? step.het.tasks : step.num_tasks;
  launch.cpus_per_task = request.cpus_per_task.value_or(step.cpus_per_task);
  if (!task.mpi.empty())
    for (const StepNode& place : step.nodes)
      launch.layout.push_back({cluster.nodes.at(place.node).config.name, place.ranks});
  launch.watch_key = key;
  launch.key = std::move(key);
  launch.waits_for_client = !request.async;
  return {wire::LaunchOrder{std::move(launch)}, {}, {}};
}

}  // namespace muster::controller
