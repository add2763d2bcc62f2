// Makes the SLURM_* and GPU variables of jobs, batch scripts and steps.
#include "controller/effects/environment.h"

#include <algorithm>
#include <array>

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "model/job/task_count.h"
#include "sched/place/gres_fit.h"
#include "sched/request/topology.h"

namespace muster::controller {

namespace {

std::string node_name(const Cluster& cluster, NodeId id) {
  const Node* node = cluster.nodes.find(id);
  return node ? node->config.name.str() : "";
}

std::string node_list(const Cluster& cluster, const auto& shares) {
  std::vector<std::string> names;
  for (const auto& share : shares) names.push_back(node_name(cluster, share.node));
  return compress_hostlist(names);
}

void add_array_variables(const Job& job, Variables& v) {
  if (job.task_id == kNoTask) return;
  std::string_view text = job.own.array;
  text = text.substr(0, text.find('%'));
  v.set("SLURM_ARRAY_JOB_ID", std::to_string(job.array_id.value));
  v.set("SLURM_ARRAY_TASK_ID", std::to_string(job.task_id));
  // the text was checked at submission
  auto tasks = IdSet::parse(text, 0xfffffff0u, ~std::uint64_t{0});
  if (!tasks || tasks->empty()) return;
  v.set("SLURM_ARRAY_TASK_COUNT", std::to_string(tasks->size()));
  v.set("SLURM_ARRAY_TASK_MIN", std::to_string(tasks->min()));
  v.set("SLURM_ARRAY_TASK_MAX", std::to_string(tasks->max()));
  auto colon = text.find(':');
  bool one_range = text.find(',') == text.npos && colon != text.npos;
  v.set("SLURM_ARRAY_TASK_STEP", one_range ? std::string(text.substr(colon + 1)) : "1");
}

// The variables by which different GPU libraries choose devices by number.
constexpr std::array<const char*, 4> kGpuVariables{"CUDA_VISIBLE_DEVICES", "ROCR_VISIBLE_DEVICES",
                                                   "GPU_DEVICE_ORDINAL", "ZE_AFFINITY_MASK"};

// "0,1"; for parts of GPUs (MIG) their UUIDs, because programs cannot name them by number.
std::string visible_gpus(const Node& node, const IdSet& gpus) {
  std::string names;
  for (const GresPool& pool : node.config.gres) {
    const auto indices = pool.indices.ids();
    for (std::size_t i = 0; i < indices.size() && i < pool.uuids.size(); ++i)
      if (pool.name == "gpu" && gpus.contains(indices[i]))
        names += (names.empty() ? "" : ",") + pool.uuids[i].str();
  }
  return names.empty() ? gpus.list() : names;
}

std::uint64_t count_of(const NodeShare& share, std::string_view name) {
  std::uint64_t count = 0;
  for (const GresShare& g : share.gres)
    if (g.name == name) count += g.count;
  return count;
}

// The share of its GPU that an mps allocation has, in percent.
std::uint64_t mps_percentage(const Node& node, const NodeShare& share) {
  for (const GresShare& g : share.gres)
    for (const GresPool& pool : node.config.gres)
      if (g.name == "mps" && pool.name == "mps" && !g.devices.empty() &&
          g.devices.min() < pool.per_device.size())
        return g.count * 100 / std::max<std::uint64_t>(1, pool.per_device[g.devices.min()]);
  return 0;
}

void add_gpu_variables(const Node& node, const NodeShare& share, std::string_view list_variable,
                       Variables& v) {
  const IdSet gpus = sched::gpus_in(share.gres);
  const std::uint64_t shards = count_of(share, "shard");
  // Without known devices only a count is given.
  const std::uint64_t count = std::max(gpus.size(), count_of(share, "gpu"));
  if (count == 0) return;
  const std::string list = gpus.list();
  const std::string visible = visible_gpus(node, gpus);
  if (count_of(share, "mps") > 0) {
    v.set("CUDA_VISIBLE_DEVICES", list);
    v.set("CUDA_MPS_ACTIVE_THREAD_PERCENTAGE", std::to_string(mps_percentage(node, share)));
  } else {
    for (const char* name : kGpuVariables) v.set(name, visible);
  }
  v.set(list_variable, list);
  v.set("SLURM_GPUS_ON_NODE", std::to_string(count));
  if (shards > 0) v.set("SLURM_SHARDS_ON_NODE", std::to_string(shards));
}

std::string cpus_per_node(const std::vector<NodeShare>& shares) {
  std::vector<std::uint32_t> cpus;
  for (const NodeShare& share : shares) cpus.push_back(share.usable_cpus());
  return compress_counts(cpus);
}

std::string tasks_per_node(const std::vector<NodeShare>& shares) {
  std::vector<std::uint32_t> tasks;
  for (const NodeShare& share : shares) tasks.push_back(share.tasks);
  return compress_counts(tasks);
}

// What the components of a heterogeneous job have: each variable with the component's number, under
// both of its names.
void add_het_variables(const Cluster& cluster, const Job& job, Variables& v) {
  if (!job.is_het()) return;
  v.set({"SLURM_HET_SIZE", "SLURM_PACK_SIZE"}, std::to_string(job.het_size));
  for (const Job* c : cluster.components(job)) {
    auto set = [&](std::string_view name, const std::string& value) {
      for (std::string_view group : {"HET", "PACK"})
        v.set(fmt::format("{}_{}_GROUP_{}", name, group, c->het_offset), value);
    };
    set("SLURM_JOB_ID", std::to_string(c->id.value));
    set("SLURM_JOB_NAME", c->own.name.str());
    set("SLURM_JOB_NODELIST", node_list(cluster, c->run->allocation));
    set("SLURM_JOB_NUM_NODES", std::to_string(c->run->allocation.size()));
    set("SLURM_JOB_CPUS_PER_NODE", cpus_per_node(c->run->allocation));
    set("SLURM_JOB_PARTITION", c->partition.str());
    set("SLURM_JOB_ACCOUNT", c->account.str());
    set("SLURM_JOB_QOS", c->qos.str());
    set("SLURM_TASKS_PER_NODE", tasks_per_node(c->run->allocation));
  }
}

const NodeShare* share_on(const Job& job, NodeId node) {
  for (const NodeShare& share : job.run->allocation)
    if (share.node == node) return &share;
  return nullptr;
}

// A step as its tasks see it, with its parts in other components.
struct WholeStep {
  std::uint32_t tasks = 0;
  std::vector<StepNode> nodes;
  std::vector<NodeShare> held;
};
WholeStep whole_step(const Cluster& cluster, const Job& job, const Step& step) {
  if (!step.het.is_part()) return {step.num_tasks, step.nodes, job.run->allocation};
  WholeStep whole;
  for (const Job* component : cluster.components(job)) {
    auto part = component->run->steps.find(step.id);
    if (part == component->run->steps.end()) continue;
    whole.tasks += part->second.num_tasks;
    whole.nodes.insert(whole.nodes.end(), part->second.nodes.begin(), part->second.nodes.end());
    whole.held.insert(whole.held.end(), component->run->allocation.begin(),
                      component->run->allocation.end());
  }
  return whole;
}

// --rendezvous: the variables that torch.distributed and similar libraries read. The node adds
// those that differ per task.
void add_meeting_point(const Cluster& cluster, const WholeStep& step, std::uint32_t port,
                       Variables& v) {
  const Node* first = cluster.nodes.find(step.nodes.front().node);
  if (!first) return;
  const NodeConfig& node = first->config;
  v.set("MASTER_ADDR", node.address.empty() ? node.name.str() : node.address.str());
  v.set("MASTER_PORT", std::to_string(port));
  v.set("WORLD_SIZE", std::to_string(step.tasks));
  v.set("SLURM_STEP_RENDEZVOUS", v["MASTER_ADDR"] + ":" + v["MASTER_PORT"]);
}

// srun --no-allocate: there is no job, so variables that describe a job are removed.
void forget_allocation(Variables& v) {
  for (const char* name :
       {"SLURM_JOB_ID", "SLURM_JOBID", "SLURM_JOB_NUM_NODES", "SLURM_JOB_CPUS_PER_NODE",
        "SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0", "SLURM_JOB_PARTITION", "SLURM_JOB_ACCOUNT",
        "SLURM_JOB_QOS", "SLURM_JOB_USER", "SLURM_NODE_ALIASES", "SLURM_CPUS_ON_NODE"})
    v.erase(name);
}

}  // namespace

Variables job_variables(const Cluster& cluster, const Job& job, NodeId node) {
  Variables v;
  const JobSpec& spec = *job.spec;
  std::string id = std::to_string(job.id.value);
  std::string nodes = node_list(cluster, job.run->allocation);
  std::string count = std::to_string(job.run->allocation.size());
  v.add({"SLURM_JOB_ID", "SLURM_JOBID"}, id);
  v.add({"SLURM_JOB_NODELIST", "SLURM_NODELIST"}, nodes);
  v.add({"SLURM_JOB_NUM_NODES", "SLURM_NNODES"}, count);
  v.add("SLURM_JOB_CPUS_PER_NODE", cpus_per_node(job.run->allocation));
  v.add("SLURM_TASKS_PER_NODE", tasks_per_node(job.run->allocation));
  if (!spec.num_tasks && spec.ntasks_per_node)  // on the nodes that the job got
    v.add({"SLURM_NTASKS", "SLURM_NPROCS"}, std::to_string(task_count(job)));
  v.add("SLURM_JOB_PARTITION", job.partition.view());
  v.add("SLURM_JOB_ACCOUNT", job.account.view());
  v.add("SLURM_JOB_QOS", job.qos.view());
  v.add("SLURM_JOB_UID", std::to_string(spec.uid.value));
  v.add("SLURM_JOB_GID", std::to_string(spec.gid.value));
  v.add("SLURM_JOB_USER", spec.user_name.view());
  v.add("SLURM_CLUSTER_NAME", cluster.settings().cluster_name.view());
  v.add("SLURM_NODE_ALIASES", "(null)");
  sched::TopologyAddress way = sched::topology_address(cluster, node_name(cluster, node));
  v.add("SLURM_TOPOLOGY_ADDR", way.address);
  v.add("SLURM_TOPOLOGY_ADDR_PATTERN", way.pattern);
  if (job.restarts) v.add("SLURM_RESTART_COUNT", std::to_string(job.restarts));
  if (!job.shown_reservation().empty())
    v.add("SLURM_JOB_RESERVATION", job.shown_reservation().view());
  if (const NodeShare* share = share_on(job, node)) {
    v.add("SLURM_CPUS_ON_NODE", std::to_string(share->usable_cpus()));
    if (const Node* n = cluster.nodes.find(node))
      add_gpu_variables(*n, *share, "SLURM_JOB_GPUS", v);
  }
  add_array_variables(job, v);
  add_het_variables(cluster, job, v);
  return v;
}

Variables batch_variables(const Cluster& cluster, const Job& job, NodeId node) {
  Variables v = job_variables(cluster, job, node);
  const JobSpec& spec = *job.spec;
  if (spec.memory_per_cpu_mib > 0u)
    v.set("SLURM_MEM_PER_CPU", std::to_string(*spec.memory_per_cpu_mib));
  if (spec.memory_per_node_mib > 0u)
    v.set("SLURM_MEM_PER_NODE", std::to_string(*spec.memory_per_node_mib));
  return v;
}

Variables step_variables(const Cluster& cluster, const Job& job, const Step& step, NodeId node) {
  Variables v = job_variables(cluster, job, node);
  const WholeStep whole = whole_step(cluster, job, step);
  std::string id = std::to_string(step.id.value);
  v.set({"SLURM_STEP_ID", "SLURM_STEPID"}, id);
  v.set("SLURM_STEP_NODELIST", node_list(cluster, whole.nodes));
  v.set("SLURM_STEP_NUM_NODES", std::to_string(whole.nodes.size()));
  v.set({"SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"}, std::to_string(whole.tasks));
  std::vector<std::uint32_t> counts;
  for (const StepNode& place : whole.nodes)
    counts.push_back(static_cast<std::uint32_t>(place.ranks.size()));
  v.set({"SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"}, compress_counts(counts));
  if (job.is_het()) {  // to its tasks all components are one job
    v.set({"SLURM_JOB_ID", "SLURM_JOBID"}, std::to_string(job.het_id.value));
    v.set({"SLURM_JOB_NODELIST", "SLURM_NODELIST"}, node_list(cluster, whole.held));
    v.set("SLURM_JOB_NUM_NODES", std::to_string(whole.held.size()));
    v.set("SLURM_JOB_CPUS_PER_NODE", cpus_per_node(whole.held));
  } else {
    v.set("SLURM_JOB_CPUS_PER_NODE_PACK_GROUP_0", v["SLURM_JOB_CPUS_PER_NODE"]);
  }
  v.set("SLURM_NNODES", v["SLURM_STEP_NUM_NODES"]);
  if (step.meeting_port) add_meeting_point(cluster, whole, step.meeting_port, v);
  if (!step.reserved_ports.empty()) v.set("SLURM_STEP_RESV_PORTS", step.reserved_ports.text());
  v.erase_if(is_gpu_variable);
  for (const StepNode& place : step.nodes) {
    if (place.node != node) continue;
    v.set("SLURM_CPUS_ON_NODE", std::to_string(place.share.cpus.size()));
    if (const Node* n = cluster.nodes.find(node))
      add_gpu_variables(*n, place.share, "SLURM_STEP_GPUS", v);
  }
  if (is_unallocated(job.id)) forget_allocation(v);
  return v;
}

bool is_gpu_variable(std::string_view name) {
  return name == "SLURM_GPUS_ON_NODE" || name == "SLURM_STEP_GPUS" ||
         name == "SLURM_SHARDS_ON_NODE" || name == "CUDA_MPS_ACTIVE_THREAD_PERCENTAGE" ||
         std::ranges::find(kGpuVariables, name) != kGpuVariables.end();
}

}  // namespace muster::controller
