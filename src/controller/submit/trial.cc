// Plans the queue with a new job in it, without submitting the job.
#include "controller/submit/trial.h"

#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/submit/partition_choice.h"
#include "controller/submit/submissions.h"
#include "sched/plan.h"
#include "state/apply.h"

namespace muster::controller {

wire::Answer expected_start(Cluster with, const std::vector<Job>& jobs, Time now) {
  wire::SubmitReply reply{.job = jobs.front().id};
  for (Job job : jobs) {
    // As if it were released, its begin time had come, and its dependencies were fulfilled.
    job.hold = Hold::none;
    job.eligible = now;
    job.own.begin = Time{};
    job.own.dependency = {};
    apply(with, JobSubmitted{std::move(job)});
  }
  sched::Plan plan = sched::plan(with, now);
  std::vector<NodeId> nodes;
  for (const Job& job : jobs) {
    auto start = std::find_if(plan.starts.begin(), plan.starts.end(),
                              [&](const sched::Start& s) { return s.job == job.id; });
    if (start != plan.starts.end()) {
      reply.would_start = now;
      reply.partition = start->partition;
      for (const NodeShare& share : start->allocation) {
        nodes.push_back(share.node);
        reply.cpus += static_cast<std::uint32_t>(share.cpus.size());
      }
    } else if (const sched::Expected* expected = sched::find_expected(plan, job.id)) {
      reply.would_start = expected->at;
      reply.partition = job.partition;
      reply.cpus += expected->cpus;
      nodes.insert(nodes.end(), expected->nodes.begin(), expected->nodes.end());
    } else {
      return Error{ErrorCode::requested_node_config_unavailable, {}};
    }
  }
  reply.would_start = std::max(reply.would_start, jobs.front().own.begin);
  std::vector<std::string> names;
  for (NodeId node : nodes) names.push_back(with.nodes.at(node).config.name.str());
  reply.nodes = compress_hostlist(names);
  return reply;
}

namespace {

// It must wait for something other than free nodes.
bool has_to_wait(const Cluster& cluster, const Job& job, Time now) {
  if (job.hold != Hold::none || job.own.begin > now) return true;
  const auto& dependencies = job.own.dependency.parsed();
  return dependencies &&
         sched::fulfilment(cluster, job, *dependencies, {}, now) != sched::Fulfilment::met;
}

}  // namespace

Result<void> may_start_at_once(const Cluster& cluster, const Job& job, Time now) {
  if (!fits_limits_of_partition(cluster, job)) return fail(std::string(kBeyondPartition));
  if (has_to_wait(cluster, job, now)) return fail(ErrorCode::dependency);
  return {};
}

}  // namespace muster::controller
