// Places the parts of a step, and records the step.
#include "controller/steps/step.h"

#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/duration.h"
#include "controller/effects/launch.h"
#include "controller/steps/ports.h"
#include "controller/steps/step_demand.h"

namespace muster::controller {

namespace {

// What the job's other steps have. Steps with --overlap take nothing.
std::vector<NodeShare> shares_in_use(const Job& job) {
  std::vector<NodeShare> used;
  for (const auto& [id, step] : job.run->steps) {
    if (id >= kBatchStep || step.overlap || is_ended(step.state)) continue;
    for (const StepNode& place : step.nodes) {
      if (!step.unfinished.contains(place.node)) continue;
      used.push_back(place.share);
      if (step.shares_memory) used.back().memory_mib = 0;
    }
  }
  return used;
}

// Numbers ranks and nodes through all parts of a step over several components.
void count_through(std::vector<Step>& parts) {
  HetPart here;
  for (Step& step : parts) {
    step.het.first_task = here.tasks;
    step.het.first_node = here.nodes;
    for (StepNode& place : step.nodes)
      for (std::uint32_t& rank : place.ranks) rank += here.tasks;
    here.tasks += step.num_tasks;
    here.nodes += static_cast<std::uint32_t>(step.nodes.size());
  }
  for (Step& step : parts) {
    step.het.tasks = here.tasks;
    step.het.nodes = here.nodes;
  }
}

// --multi-prog: each part has numbered its ranks from 0.
void count_programs_from(std::uint32_t first_task, wire::StepRequest& request) {
  auto count_on = [&](wire::StepRequest& part) {
    decltype(part.task.argv_by_rank) counted;
    for (auto& [rank, argv] : part.task.argv_by_rank) counted[rank + first_task] = std::move(argv);
    part.task.argv_by_rank = std::move(counted);
    first_task += part.num_tasks.value_or(1);
  };
  count_on(request);
  for (wire::StepRequest& part : request.parts) count_on(part);
}

StepCommand command_of(const Step& part) {
  return {part.name, part.num_tasks, static_cast<std::uint32_t>(part.nodes.size())};
}

// Several commands in one job run on different nodes and are one step.
void join_parts(Step& step, const Step& next) {
  if (step.commands.empty()) step.commands.push_back(command_of(step));
  step.commands.push_back(command_of(next));
  for (StepNode place : next.nodes) {
    for (std::uint32_t& rank : place.ranks) rank += step.num_tasks;
    step.nodes.push_back(std::move(place));
  }
  step.num_tasks += next.num_tasks;
  step.unfinished.insert(next.unfinished.begin(), next.unfinished.end());
}

// One request per job, in the order of the parts; further parts in the same job are added to the
// first.
std::vector<wire::StepRequest> launches_by_job(wire::StepRequest& request) {
  std::vector<wire::StepRequest> parts = std::move(request.parts);
  request.parts.clear();
  std::vector<wire::StepRequest> launches;
  launches.push_back(std::move(request));
  for (wire::StepRequest& part : parts) {
    if (part.job == launches.back().job)
      launches.back().parts.push_back(std::move(part));
    else
      launches.push_back(std::move(part));
  }
  return launches;
}

}  // namespace

namespace {

Result<void> can_take_steps(const Ledger& ledger, Caller caller, JobId id) {
  const Job* job = ledger.cluster().jobs.find(id);
  if (!job) return fail(ErrorCode::invalid_job_id);
  if (!ledger.authority().may_change(caller, *job)) return fail(ErrorCode::access_denied);
  if (job->state == JobState::pending) return fail(ErrorCode::job_pending);
  if (is_ended(job->state) || job->run->ending) return fail(ErrorCode::already_done);
  if (job->state == JobState::suspended) return fail(ErrorCode::job_suspended);
  if (job->run->next_step >= ledger.settings().max_step_count)
    return fail("Step limit reached for this job");
  return {};
}

}  // namespace

Result<Step> place_part(const Ledger& ledger, Caller caller, const wire::StepRequest& request,
                        const std::set<NodeId>& taken) {
  const Time now = ledger.now();
  if (auto ok = can_take_steps(ledger, caller, request.job); !ok)
    return std::unexpected(ok.error());
  const Job& job = ledger.job(request.job);
  auto wanted = step_demand(ledger.cluster(), job, request, taken);
  if (!wanted) return std::unexpected(wanted.error());
  auto nodes = sched::place_step(wanted->held,
                                 request.overlap ? std::vector<NodeShare>{} : shares_in_use(job),
                                 wanted->demand);
  if (!nodes) return std::unexpected(nodes.error());

  Step step;
  step.name = request.name;
  step.num_tasks = wanted->demand.tasks;
  step.cpus_per_task = wanted->demand.cpus_per_task;
  step.started = now;
  step.submit_line = request.submit_line;
  step.srun_host = request.srun_host;
  step.srun_pid = request.srun_pid;
  step.distribution = request.distribution;
  step.tres = request.tres;
  step.overlap = request.overlap;
  step.shares_memory = !wanted->demand.counts_memory;
  if (request.time_limit && *request.time_limit != kUnlimited)
    step.time_limit = *request.time_limit;
  step.nodes = std::move(*nodes);
  for (const StepNode& place : step.nodes) step.unfinished.insert(place.node);
  return step;
}

namespace {

// One step per job. Updates the requests with what each part got.
Result<std::vector<Step>> place_parts(const Ledger& ledger, Caller caller,
                                      std::vector<wire::StepRequest*>& requests) {
  std::vector<Step> steps, parts;
  JobId job;
  for (const wire::StepRequest* each : requests) {
    const bool same_job = !steps.empty() && each->job == job;
    job = each->job;
    auto part =
        place_part(ledger, caller, *each, same_job ? steps.back().unfinished : std::set<NodeId>{});
    if (!part) return std::unexpected(part.error());
    if (same_job)
      join_parts(steps.back(), *part);
    else
      steps.push_back(*part);
    parts.push_back(std::move(*part));
  }
  for (std::size_t i = 0; i < requests.size(); ++i) {
    requests[i]->num_tasks = parts[i].num_tasks;
    requests[i]->cpus_per_task = parts[i].cpus_per_task;
  }
  return steps;
}

}  // namespace

StepId next_step_id(const Cluster& cluster, const Job& job) {
  std::uint32_t next = 0;
  for (const Job* component : cluster.components(job))
    next = std::max(next, component->run->next_step);
  return StepId{next};
}

Result<wire::StepReply> start_step(Ledger& ledger, Host& host, StepLaunches& launches,
                                   Caller caller, wire::StepRequest& request,
                                   std::optional<StepId> number) {
  std::vector<wire::StepRequest*> requests{&request};
  for (wire::StepRequest& part : request.parts) requests.push_back(&part);
  auto placed = place_parts(ledger, caller, requests);
  if (!placed) return std::unexpected(placed.error());
  std::vector<Step>& steps = *placed;
  std::vector<JobId> jobs;
  for (const wire::StepRequest* each : requests)
    if (jobs.empty() || jobs.back() != each->job) jobs.push_back(each->job);
  if (std::set<JobId>(jobs.begin(), jobs.end()).size() < jobs.size())
    return fail("The commands of a step in one component follow each other");
  if (request.interactive && !is_step_over(ledger.job(request.job), kInteractiveStep))
    return fail("Duplicate job step id");
  const StepId id = request.interactive
                        ? kInteractiveStep
                        : number.value_or(next_step_id(ledger.cluster(), ledger.job(request.job)));
  if (steps.size() > 1) count_through(steps);
  if (request.task.rendezvous) {
    auto port = meeting_port(ledger.cluster(), steps.front().nodes.front().node, request.job, id);
    if (!port) return std::unexpected(port.error());
    for (Step& step : steps) step.meeting_port = *port;
  }
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const wire::StepRequest& first =
        **std::ranges::find(requests, jobs[i], &wire::StepRequest::job);
    auto ports = reserve_ports(ledger.cluster(), steps[i], jobs[i], first.reserved_ports);
    if (!ports) return std::unexpected(ports.error());
    steps[i].reserved_ports = std::move(*ports);
  }
  wire::StepReply reply{.step = id};
  if (requests.size() > 1)
    for (const wire::StepRequest* each : requests)
      reply.part_tasks.push_back(each->num_tasks.value_or(1));
  std::vector<wire::StepRequest> asked = launches_by_job(request);
  for (std::size_t i = steps.size(); i-- > 0;) {
    Step& step = steps[i];
    step.id = id;
    // srun --async: keep the request, because nobody would ask for the step again after a restart.
    if (asked[i].async) step.request = encode(asked[i]);
    count_programs_from(step.het.first_task, asked[i]);
    for (const StepNode& place : step.nodes) ledger.touch(place.node);
    launches.keep(jobs[i], id, std::move(asked[i]));
    ledger.record(StepCreated{.job = jobs[i], .step = step});
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    add_places(ledger.cluster(), host, ledger.job(jobs[i]), steps[i], reply);
  return reply;
}

void add_places(const Cluster& cluster, Host& host, const Job& job, const Step& step,
                wire::StepReply& reply) {
  reply.num_tasks += step.num_tasks;
  for (const StepNode& place : step.nodes) {
    const NodeConfig& node = cluster.nodes.at(place.node).config;
    reply.places.push_back({.node = node.name,
                            .address = node.address.empty() ? node.name : node.address,
                            .port = node.port,
                            .ranks = place.ranks,
                            .job = job.id,
                            .attempt = job.attempt,
                            .key = host.step_key(job, step.id)});
  }
}

wire::Answer find_step(const Ledger& ledger, Host& host, Caller caller,
                       const wire::AttachStepRequest& request) {
  const Job* job = ledger.cluster().jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!ledger.authority().may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  if (is_step_over(*job, request.step)) return Error{ErrorCode::invalid_job_id, {}};
  wire::StepReply reply{.step = request.step};
  add_places(ledger.cluster(), host, *job, job->run->steps.at(request.step), reply);
  return reply;
}

}  // namespace muster::controller
