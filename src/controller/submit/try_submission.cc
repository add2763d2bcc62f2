// sbatch --test-only: when and where would it start? And srun -I: would it at once?
#include <algorithm>

#include "base/text/hostlist.h"
#include "controller/core.h"
#include "sched/plan.h"
#include "state/apply.h"

namespace muster::controller {

namespace {

// When and where it would start if it were submitted now: what the plan for the queue with it says.
wire::Answer expected_start(Cluster with, const std::vector<Job>& jobs, Time now) {
  wire::SubmitReply reply{.job = jobs.front().id};
  for (Job job : jobs) {
    // As if it were released at once, its time had come, and others were done.
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

}  // namespace

Result<void> Core::may_start_at_once(const Job& job, Time now) const {
  if (!fits_limits_of_partition(job)) return fail(std::string(kBeyondPartition));
  if (has_to_wait(job, now)) return fail(ErrorCode::dependency);
  return {};
}

// The plan may take a while: it is made aside, on a copy of the state. What is to start at once is
// tried again, a few times, if that has changed meanwhile.
void Core::try_submission(ReplyTo to, Caller caller, wire::SubmitRequest request, Time now,
                          int trials) {
  constexpr int kTrials = 3;
  std::vector<std::string> warnings;
  wire::SubmitRequest tried{.spec = request.spec, .components = request.components};
  auto jobs = accept_all(caller, tried, now, warnings);
  if (!jobs) return answer(to, refusal(jobs.error(), warnings));
  if (!request.test_only)
    if (auto ok = may_start_at_once(jobs->front(), now); !ok) return answer(to, ok.error());
  auto plan = [with = cluster_, jobs = std::move(*jobs), now] {
    return expected_start(with, jobs, now);
  };
  auto on_planned = [this, to, caller, now, trials, request = std::move(request),
                     version = state_version()](wire::Answer told) mutable {
    if (request.test_only) return answer(to, std::move(told));
    auto* when = std::get_if<wire::SubmitReply>(&told);
    if (!when || when->would_start > now) return answer(to, Error{ErrorCode::nodes_busy, {}});
    now = std::max(now, now_);
    if (version == state_version() || trials + 1 == kTrials) {
      request.immediate = false;
      return on_request(to, caller, std::move(request), now);
    }
    try_submission(to, caller, std::move(request), now, trials + 1);
  };
  host_.run_aside(to, caller.uid, std::move(plan), std::move(on_planned));
}

}  // namespace muster::controller
