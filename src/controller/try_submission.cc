// sbatch --test-only: when and where would it start? And srun -I: would it at once?
#include <algorithm>

#include "base/hostlist.h"
#include "controller/core.h"
#include "sched/plan.h"
#include "state/apply.h"

namespace muster::controller {

// When and where it would start if it were submitted now: what the plan for the queue with it says.
wire::Answer Core::try_submission(const std::vector<Job>& jobs, Time now) {
  wire::SubmitReply reply{.job = jobs.front().id};
  Cluster with = cluster_;
  for (Job job : jobs) {
    // As if it were released at once, its time had come, and others were done.
    job.hold = Hold::none;
    job.eligible = now;
    job.spec.edit().begin = Time{};
    job.spec.edit().dependency = {};
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
  reply.would_start = std::max(reply.would_start, jobs.front().spec->begin);
  std::vector<std::string> names;
  for (NodeId node : nodes) names.push_back(with.nodes.at(node).config.name.str());
  reply.nodes = compress_hostlist(names);
  return reply;
}

}  // namespace muster::controller
