// Effects: what nodes have to do, as the difference between the committed state and what each node
// knows. Asking again changes nothing, so it is done after every commit that touched a node, and in
// full when one registers.
#include "controller/core.h"
#include "controller/launch.h"

namespace muster::controller {

namespace {

std::string_view end_message(const Ending& ending) {
  if (ending.requeue)
    return ending.becomes == JobState::preempted ? " DUE TO PREEMPTION" : " DUE TO JOB REQUEUE";
  switch (ending.becomes) {
    case JobState::timeout:
      return " DUE TO TIME LIMIT";
    case JobState::preempted:
      return " DUE TO PREEMPTION";
    case JobState::node_fail:
      return " DUE TO NODE FAILURE";
    default:
      return "";
  }
}

}  // namespace

void Core::send_effects(const Cluster& committed, const std::set<NodeId>& nodes) {
  for (NodeId id : nodes) {
    auto session = sessions_.find(id);
    const Node* node = committed.nodes.find(id);
    if (session == sessions_.end() || !node) continue;
    auto orders = orders_for(committed, *node, session->second);
    if (!orders.empty()) host_.send(session->second.connection, cluster_.epoch, std::move(orders));
  }
}

std::vector<OutgoingOrder> Core::orders_for(const Cluster& committed, const Node& node,
                                            Session& session) {
  std::vector<OutgoingOrder> orders;
  auto end = [&](JobId job, Attempt attempt, Seconds wait, std::string_view message,
                 bool announce) {
    if (!session.ending.insert({job, attempt}).second) return;
    orders.push_back({wire::EndJobOrder{.job = job,
                                        .attempt = attempt,
                                        .kill_wait = wait,
                                        .message_suffix = message,
                                        .announce = announce},
                      {},
                      {}});
  };
  // What runs here but should not: stale attempts, forgotten jobs.
  for (const wire::StepRef& ref : session.known) {
    const Job* job = committed.jobs.find(ref.job);
    bool wanted = job && job->attempt == ref.attempt && job->unfinished.contains(node.id);
    if (!wanted) end(ref.job, ref.attempt, Seconds{0}, "", false);
  }
  for (std::uint32_t id : node.jobs.ids()) {
    const Job& job = committed.jobs.at(JobId{id});
    if (job.ending) {
      end(job.id, job.attempt, committed.settings().kill_wait, end_message(*job.ending), true);
      continue;
    }
    if (is_ended(job.state)) {
      end(job.id, job.attempt, committed.settings().kill_wait, "", false);
      continue;
    }
    for (const auto& [step_id, step] : job.steps) {
      if (!step.unfinished.contains(node.id)) continue;
      wire::StepRef ref{job.id, job.attempt, step_id};
      if (session.known.contains(ref)) continue;
      if (step_id == kBatchStep) {
        orders.push_back(batch_launch(committed, job));
      } else {
        auto request = step_launches_.find({job.id, step_id});
        if (request == step_launches_.end()) continue;  // settle_unknown_steps ends it
        orders.push_back(step_launch(committed, job, step, node.id, request->second,
                                     host_.step_key(job.id, job.attempt, step_id)));
      }
      session.known.insert(ref);
    }
  }
  return orders;
}

}  // namespace muster::controller
