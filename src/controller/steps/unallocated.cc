// Checks and launches srun --no-allocate.
#include "controller/steps/unallocated.h"

#include "base/text/hostlist.h"
#include "base/text/strings.h"
#include "controller/effects/launch.h"
#include "controller/effects/outgoing.h"
#include "controller/effects/program_environment.h"
#include "controller/steps/step.h"

namespace muster::controller {

namespace {

// Blocks of ranks, as even as possible, whatever --distribution says.
std::vector<StepNode> spread(const std::vector<const Node*>& nodes, std::uint32_t tasks) {
  const auto count = static_cast<std::uint32_t>(nodes.size());
  std::vector<StepNode> places;
  std::uint32_t rank = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    StepNode place{.node = nodes[i]->id};
    place.share.node = nodes[i]->id;
    if (nodes[i]->config.cpus > 0) place.share.cpus = IdSet::range(0, nodes[i]->config.cpus - 1);
    for (std::uint32_t n = tasks / count + (i < tasks % count ? 1 : 0); n > 0; --n)
      place.ranks.push_back(rank++);
    if (!place.ranks.empty()) places.push_back(std::move(place));
  }
  return places;
}

// The nodes that srun named. An error names the nodes that it concerns in its detail.
Result<std::vector<const Node*>> unallocated_nodes(const Ledger& ledger, const NodeLinks& links,
                                                   Caller caller,
                                                   const wire::StepRequest& request) {
  if (!ledger.authority().is_operator(caller)) {
    std::vector<std::string> known;
    for (NodeId id :
         ledger.cluster().nodes_named(request.node_list).value_or(std::vector<NodeId>{}))
      known.push_back(ledger.node(id).config.name.str());
    return fail(ErrorCode::access_denied,
                known.empty() ? request.node_list.str() : join(known, ","));
  }
  auto names = expand_hostlist(request.node_list);
  if (!names || names->empty()) return fail(ErrorCode::invalid_node_name, request.node_list.str());
  std::vector<const Node*> nodes;
  std::vector<std::string> unknown, away;
  for (const std::string& name : *names) {
    const Node* node = ledger.cluster().find_node(name);
    if (!node)
      unknown.push_back(name);
    else if (!links.is_connected(node->id))
      away.push_back(name);
    else
      nodes.push_back(node);
  }
  if (!unknown.empty()) return fail(ErrorCode::no_node_address, join(unknown, ","));
  if (!away.empty()) return fail(ErrorCode::communication, join(away, ","));
  return nodes;
}

}  // namespace

wire::Answer run_unallocated(Ledger& ledger, Host& host, const NodeLinks& links, Caller caller,
                             const wire::StepRequest& request) {
  const Time now = ledger.now();
  if (!is_unallocated(request.job) || !is_numbered(StepId{*request.unallocated}) ||
      !request.parts.empty())
    return Error{ErrorCode::failure, "a step without an allocation is one command in no job"};
  auto nodes = unallocated_nodes(ledger, links, caller, request);
  if (!nodes) return nodes.error();

  JobRequest spec;
  spec.uid = caller.uid;
  spec.gid = caller.gid;
  spec.name = request.name;
  Job job;
  job.id = request.job;
  job.submitted = now;
  job.attempt = Attempt{static_cast<std::uint32_t>(ledger.cluster().epoch.value)};
  job.take_request(std::move(spec));
  Step step;
  step.id = StepId{*request.unallocated};
  step.name = request.name;
  step.started = now;
  step.num_tasks = request.num_tasks.value_or(static_cast<std::uint32_t>(nodes->size()));
  if (step.num_tasks > nodes->size() * ledger.settings().request_limits.tasks_per_node)
    return Error{ErrorCode::bad_task_count, {}};
  step.cpus_per_task = request.cpus_per_task.value_or(1);
  step.nodes = spread(*nodes, step.num_tasks);
  for (const StepNode& place : step.nodes) job.run.edit().allocation.push_back(place.share);

  wire::StepReply reply{.step = step.id};
  add_places(ledger.cluster(), host, job, step, reply);
  for (const StepNode& place : step.nodes) {
    OutgoingOrder out =
        step_launch(ledger.cluster(), job, step, place.node, request, host.step_key(job, step.id));
    // There is no job that would end with an Epilog.
    if (ledger.settings().programs.prolog)
      std::get<wire::LaunchOrder>(out.order).launch.prolog_environment =
          prolog_environment(ledger.cluster(), job, ledger.node(place.node));
    ledger.order(place.node, std::move(out.order));
  }
  ledger.log("step " + std::to_string(job.id.value) + "." + std::to_string(step.id.value) +
             " runs without an allocation on " + request.node_list.str() + ", for user " +
             std::to_string(caller.uid.value));
  return reply;
}

}  // namespace muster::controller
