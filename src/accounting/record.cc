// Makes the row of a job or a step from the state.
#include "accounting/record.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/hostlist.h"
#include "base/text/size.h"
#include "sched/request/amounts.h"
#include "sched/request/request.h"

namespace muster::accounting {

// A job that was ended on request has no exit code of its own.
std::uint32_t accounted_exit(const Job& job) {
  if (job.state == JobState::cancelled || job.state == JobState::timeout ||
      job.state == JobState::preempted)
    return 0;
  return job.run->exit_status;
}

namespace {

std::string node_names(const Cluster& cluster, const auto& shares) {
  std::vector<std::string> names;
  for (const auto& share : shares)
    if (const Node* node = cluster.nodes.find(share.node)) names.push_back(node->config.name.str());
  return compress_hostlist(names);
}

// Adds to the entry with the same name; types are summed up.
void add_gres(Tres& tres, const GresRequest& gres, std::uint64_t times) {
  auto at = std::ranges::lower_bound(tres.gres, gres.name, {}, &GresShare::name);
  if (at == tres.gres.end() || at->name != gres.name)
    at = tres.gres.insert(at, GresShare{.name = gres.name});
  at->count += gres.count * times;
}

std::uint64_t requested_memory(const Cluster& cluster, const Job& job,
                               const sched::ResourceRequest& request, const Tres& tres) {
  if (request.memory_per_node_mib)
    return std::max(*request.memory_per_node_mib, sched::whole_node_mib(cluster, job)) * tres.nodes;
  // If memory is not allocated, the requested amount is reported all the same.
  const JobSpec& spec = *job.spec;
  const auto per_cpu = request.memory_per_cpu_mib.or_else([&] { return spec.memory_per_cpu_mib; });
  if (per_cpu) return *per_cpu * tres.cpus;
  std::uint64_t gpus = 0;
  for (const GresShare& gres : tres.gres)
    if (gres.name == "gpu") gpus = gres.count;
  const auto per_gpu = request.memory_per_gpu_mib.or_else([&] { return spec.memory_per_gpu_mib; });
  return per_gpu ? *per_gpu * gpus : spec.memory_per_node_mib.value_or(0) * tres.nodes;
}

std::string state_text(const Job& job) {
  if (job.state == JobState::cancelled && job.run->ending)
    return fmt::format("CANCELLED by {}", job.run->ending->by.value);
  return std::string(state_name(job.state));
}

std::map<NodeId, Text> usage_nodes(const Cluster& cluster, const Usage& usage) {
  std::map<NodeId, Text> names;
  for (Measure Usage::* measure : kMeasures)
    for (NodeId id : {(usage.*measure).max_node, (usage.*measure).min_node})
      if (const Node* node = cluster.nodes.find(id)) names.emplace(id, node->config.name);
  return names;
}

}  // namespace

Tres requested_tres(const Cluster& cluster, const Job& job) {
  Tres tres;
  auto named = named_partitions(cluster, job.partitions);
  if (!named) return tres;
  auto request = sched::make_request(cluster, *job.spec, *named->front());
  if (!request) return tres;
  tres.nodes = request->min_nodes;
  // With --overcommit tasks share CPUs: one CPU per node is enough.
  tres.cpus =
      request->overcommit ? tres.nodes : std::uint64_t{request->tasks} * request->cpus_per_task;
  tres.cpus = std::max(tres.cpus, tres.nodes * request->min_cpus_per_node);
  tres.billing = tres.cpus;
  for (const GresRequest& g : request->gres_per_node) add_gres(tres, g, tres.nodes);
  for (const GresRequest& g : request->gpus_total) add_gres(tres, g, 1);
  for (const GresRequest& g : request->gpus_per_task) add_gres(tres, g, request->tasks);
  for (const GresRequest& g : request->gpus_per_socket)
    add_gres(tres, g, tres.nodes * std::max(1u, request->min_sockets));
  tres.memory_mib = requested_memory(cluster, job, *request, tres);
  return tres;
}

JobRecord job_record(const Cluster& cluster, const Job& job) {
  const JobSpec& spec = *job.spec;
  JobRecord r;
  r.job = job.id;
  // A pending job's row belongs to the run that is still to come.
  r.attempt = job.state == JobState::pending ? Attempt{job.attempt.value + 1} : job.attempt;
  if (is_ended(job.state) && job.run->allocation.empty())
    r.attempt = Attempt{job.attempt.value + 1};
  r.array_id = job.array_id;
  r.task_id = job.task_id;
  r.het_id = job.het_id;
  r.het_offset = job.het_offset;
  if (job.is_array_record()) {
    r.waiting_tasks = job.waiting_tasks.text();
    if (job.task_limit)
      r.waiting_tasks = job.waiting_tasks.text() + "%" + std::to_string(job.task_limit);
  }
  r.name = job.own.name;
  r.partition = job.partitions.text();
  r.account = job.account;
  r.qos = job.qos;
  r.user_name = spec.user_name;
  r.wckey = spec.wckey;
  r.work_dir = job.own.work_dir;
  r.comment = job.own.comment;
  r.admin_comment = spec.admin_comment;
  r.constraints = spec.features.text();
  r.reservation = job.shown_reservation();
  r.submit_line = job.own.submit_line;
  r.cluster = cluster.settings().cluster_name;
  r.uid = spec.uid;
  r.gid = spec.gid;
  r.state = job.state;
  r.state_text = state_text(job);
  if (job.run->ending) r.cancelled_by = job.run->ending->by;
  r.submitted = job.submitted;
  // A held job never was eligible, and one with dependencies only once a plan has found them
  // fulfilled.
  const bool keeps_waiting = job.hold != Hold::none || !job.own.dependency.empty();
  const bool never = keeps_waiting && !is_set(job.run->started) && !is_set(job.accrues_since);
  r.eligible = never ? Time{} : job.eligible;
  r.started = job.run->started;
  if (is_ended(job.state)) r.ended = job.over_since();
  r.suspended = job.run->suspended_total;
  r.time_limit = job.time_limit;
  const Tres requested = requested_tres(cluster, job);
  if (requested.nodes > 0) r.requested_memory = format_mib(requested.memory_mib);
  r.requested_cpus = static_cast<std::uint32_t>(requested.cpus);
  r.requested_nodes = static_cast<std::uint32_t>(requested.nodes);
  r.requested_tres = requested.accounting_text();
  if (!job.run->allocation.empty()) {
    Tres allocated = total(job.run->allocation);
    allocated.billing = sched::weighted_billing(cluster, job).value_or(allocated.billing);
    r.allocated_cpus = static_cast<std::uint32_t>(allocated.cpus);
    r.allocated_nodes = static_cast<std::uint32_t>(allocated.nodes);
    r.allocated_tres = allocated.accounting_text();
    r.nodes = node_names(cluster, job.run->allocation);
  }
  r.exit_status = accounted_exit(job);
  r.derived_exit_status = job.run->derived_exit_status;
  r.priority = job.priority;
  r.restarts = job.restarts;
  r.reason = job.end_reason;
  const EarlierRuns& earlier = *job.run->earlier;
  r.earlier_pieces = earlier.pieces;
  r.earlier_run_time = earlier.run_time;
  r.first_started = earlier.first_started;
  return r;
}

StepRecord step_record(const Cluster& cluster, const Job& job, const Step& step) {
  StepRecord r;
  r.job = job.id;
  r.attempt = job.attempt;
  r.step = step.id;
  r.name = step.name;
  r.state = step.state;
  r.state_text = state_name(step.state);
  r.num_tasks = step.num_tasks;
  std::vector<NodeShare> shares;
  for (const StepNode& place : step.nodes) shares.push_back(place.share);
  Tres tres = total(shares);
  r.num_cpus = static_cast<std::uint32_t>(tres.cpus);
  r.num_nodes = static_cast<std::uint32_t>(step.nodes.size());
  tres.billing = 0;
  r.tres = tres.accounting_text();
  r.nodes = node_names(cluster, step.nodes);
  r.started = step.started;
  r.ended = step.ended;
  r.exit_status = step.exit_status;
  if (step.usage) {
    r.usage = *step.usage;
    r.usage_nodes = usage_nodes(cluster, *step.usage);
  }
  r.submit_line = step.submit_line;
  return r;
}

}  // namespace muster::accounting
