// Decides about further runs of a job that asked for them.
#include "controller/jobs/retry.h"

#include <algorithm>
#include <string>
#include <vector>

#include "base/text/hostlist.h"
#include "controller/effects/stop_notice.h"
#include "controller/submit/partition_choice.h"
#include "model/job/restart_limits.h"
#include "sched/place/place.h"
#include "sched/request/memory_rule.h"
#include "sched/request/request.h"
#include "state/job_update.h"

namespace muster::controller {

namespace {

// The specification as it would be submitted to the first partition where it fits: with more CPUs,
// where a CPU may have only so much memory.
std::optional<JobSpec> fitting(const Cluster& cluster, const Job& job, const JobSpec& wanted) {
  const NameList& names = wanted.partition.parsed().empty() ? job.partitions : wanted.partition;
  for (const Text& name : names.parsed()) {
    const Partition* partition = cluster.find_partition(name);
    if (!partition) continue;
    JobSpec spec = wanted;
    add_cpus_for_memory(cluster, *partition, spec);
    auto request = sched::make_request(cluster, spec, *partition);
    if (request && !sched::exceeds_memory_limit(cluster, *request, *partition) &&
        sched::feasible(cluster, *request, *partition))
      return spec;
  }
  return std::nullopt;
}

// At least so much more that a job does not ask again and again for the same.
std::uint64_t grown(std::uint64_t mib, std::uint32_t percent) {
  const std::uint64_t least = mib + std::max<std::uint64_t>(mib / 100, 1);
  return std::max(least, mib / 100 * percent + mib % 100 * percent / 100);
}

std::uint64_t largest_memory(const Cluster& cluster, const Job& job) {
  std::uint64_t most = 0;
  for (const Text& name : job.partitions.parsed())
    if (const Partition* partition = cluster.find_partition(name))
      for (NodeId id : partition->nodes)
        if (const Node* node = cluster.nodes.find(id))
          most = std::max(most, node->config.memory_mib);
  return most;
}

// The request with more memory; nothing if no node has more.
std::optional<JobSpec> with_more_memory(const Cluster& cluster, const Job& job) {
  const std::uint32_t percent = job.spec->retry_oom_percent;
  JobSpec spec = *job.spec;
  if (spec.memory_per_cpu_mib && *spec.memory_per_cpu_mib > 0) {
    spec.memory_per_cpu_mib = grown(*spec.memory_per_cpu_mib, percent);
  } else if (spec.memory_per_gpu_mib && *spec.memory_per_gpu_mib > 0) {
    spec.memory_per_gpu_mib = grown(*spec.memory_per_gpu_mib, percent);
  } else {
    std::uint64_t had = 0;
    for (const NodeShare& share : job.run->allocation) had = std::max(had, share.memory_mib);
    if (had == 0) return std::nullopt;  // memory is not allocated here
    const std::uint64_t most = largest_memory(cluster, job);
    if (had >= most) return std::nullopt;
    spec.memory_per_cpu_mib.reset();
    spec.memory_per_gpu_mib.reset();
    spec.memory_per_node_mib = std::min(grown(had, percent), most);
    // Some of a node's memory may be set aside: what fits lies below.
    constexpr int kTries = 6;
    for (int i = 0; i < kTries && *spec.memory_per_node_mib > had; ++i) {
      if (auto fits = fitting(cluster, job, spec)) return fits;
      spec.memory_per_node_mib = had + (*spec.memory_per_node_mib - had) / 2;
    }
    return std::nullopt;
  }
  return fitting(cluster, job, spec);
}

// Keeps off these nodes too, if the job can run without them.
bool exclude(const Cluster& cluster, const Job& job, const std::vector<NodeId>& nodes,
             JobSpec& spec) {
  auto names = expand_hostlist(spec.excluded_nodes.view());
  if (!names) return false;
  for (NodeId id : nodes)
    if (const Node* node = cluster.nodes.find(id)) names->push_back(node->config.name.str());
  std::ranges::sort(*names);
  names->erase(std::ranges::unique(*names).begin(), names->end());
  JobSpec elsewhere = spec;
  elsewhere.excluded_nodes = compress_hostlist(*names);
  if (!fitting(cluster, job, elsewhere)) return false;
  spec = std::move(elsewhere);
  return true;
}

// All nodes of the job may be at fault; if it cannot do without them, at least the one of the
// script is left out.
JobSpec elsewhere(const Cluster& cluster, const Job& job) {
  JobSpec spec = *job.spec;
  std::vector<NodeId> all, script;
  for (const NodeShare& share : job.run->allocation) all.push_back(share.node);
  if (auto batch = job.run->steps.find(kBatchStep); batch != job.run->steps.end())
    script = {batch->second.nodes.front().node};
  if (!exclude(cluster, job, all, spec)) exclude(cluster, job, script, spec);
  return spec;
}

}  // namespace

Again why_again(const Cluster& cluster, const Job& job, std::uint32_t status) {
  if (status == 0) return Again::none;
  const Run& run = *job.run;
  auto batch = run.steps.find(kBatchStep);
  const bool out_of_memory =
      run.out_of_memory || (batch != run.steps.end() && batch->second.out_of_memory);
  if (out_of_memory) {
    if (job.spec->retry_oom_percent == 0 || run.earlier->oom_retries >= RestartLimits::kRetries ||
        !with_more_memory(cluster, job))
      return Again::none;
    return Again::retry_oom;
  }
  // The script has heeded the notice, and is not done.
  if (is_set(run.noticed) && !is_last_piece(job)) return Again::piece;
  return run.earlier->retries < job.spec->retries ? Again::retry : Again::none;
}

std::optional<JobUpdated> change_for_next_run(const Cluster& cluster, const Job& ended,
                                              const Job& waiting) {
  const Again again = ended.run->ending ? ended.run->ending->again : Again::none;
  if (again != Again::retry && again != Again::retry_oom) return std::nullopt;
  JobRequest request = waiting.request();
  if (again == Again::retry) {
    static_cast<JobSpec&>(request) = elsewhere(cluster, ended);
  } else if (auto more = with_more_memory(cluster, ended)) {
    static_cast<JobSpec&>(request) = std::move(*more);
  }
  Job after = waiting;
  after.take_request(std::move(request));
  return job_update(waiting, after);
}

}  // namespace muster::controller
