// Replays a trace with Muster's own planner.
#include "sim/replay/muster_policy.h"

#include "sched/plan.h"
#include "sched/priority/priority.h"
#include "state/apply.h"

namespace muster::sim {

namespace {

constexpr const char* kPartition = "batch";

Time time_of(Seconds since_begin) { return from_unix_seconds(1'000'000'000) + since_begin; }
JobId id_of(std::size_t job) { return JobId{static_cast<std::uint32_t>(job + 1)}; }

ClusterConfig config_of(const Machine& machine) {
  ClusterConfig config;
  config.settings.memory_is_consumable = false;  // traces rarely contain memory
  Partition partition;
  partition.name = kPartition;
  partition.is_default = true;
  config.partitions = {partition};
  config.partition_nodes.resize(1);
  for (std::uint32_t i = 1; i <= machine.nodes; ++i) {
    NodeConfig node;
    node.name = "n" + std::to_string(i);
    node.cpus = node.cores_per_socket = machine.cpus;
    config.partition_nodes[0].push_back(node.name);
    config.nodes.push_back(std::move(node));
  }
  return config;
}

}  // namespace

MusterPolicy::MusterPolicy(const std::vector<TraceJob>& trace, const Machine& machine)
    : trace_(trace) {
  apply(cluster_, ConfigLoaded{Cow(config_of(machine))});
  for (NodeId node : std::vector<NodeId>(*cluster_.node_order))
    apply(cluster_, NodeChanged{.node = node, .health = NodeHealth::up, .responding = true});
}

void MusterPolicy::on_submitted(std::size_t index, Seconds now) {
  const TraceJob& wanted = trace_[index];
  JobSpec spec;
  spec.kind = JobKind::batch;
  spec.uid = Uid{wanted.user};
  spec.num_tasks = wanted.cpus;
  Job job;
  job.id = id_of(index);
  job.partition = kPartition;
  job.account = "root";
  job.qos = "normal";
  job.time_limit = std::chrono::ceil<Minutes>(wanted.limit);
  spec.time_limit = job.time_limit;
  job.submitted = job.eligible = job.accrues_since = time_of(now);
  job.priority = sched::basic_priority(job.id, 0);
  job.spec = Cow(std::move(spec));
  apply(cluster_, JobSubmitted{std::move(job)});
}

void MusterPolicy::on_ended(std::size_t index, Seconds now) {
  const JobId id = id_of(index);
  const Job& job = cluster_.jobs.at(id);
  const Attempt attempt = job.attempt;
  const std::vector<NodeId> nodes(job.run->unfinished.begin(), job.run->unfinished.end());
  apply(cluster_,
        JobEnded{.job = id, .state = JobState::completed, .at = time_of(now), .reason = {}});
  apply(cluster_, NodesReleased{.job = id, .attempt = attempt, .nodes = nodes, .at = time_of(now)});
  apply(cluster_, JobsPurged{IdSet::range(id.value, id.value)});
}

std::vector<std::size_t> MusterPolicy::starts(Seconds now) {
  std::vector<std::size_t> started;
  for (bool more = !cluster_.pending.empty(); more;) {
    sched::Plan plan =
        sched::plan(cluster_, time_of(now), sched::thorough_budget(cluster_), planner_cache_);
    for (sched::Start& start : plan.starts) {
      started.push_back(start.job.value - 1);
      apply(cluster_, JobStarted{.job = start.job,
                                 .attempt = Attempt{1},
                                 .partition = start.partition,
                                 .allocation = std::move(start.allocation),
                                 .at = time_of(now),
                                 .runs_batch = false,
                                 .time_limit = start.time_limit});
    }
    more = plan.more_starts;
  }
  return started;
}

}  // namespace muster::sim
