// Steps: what srun asks for inside a job. Each gets a share of its own of what the job holds
// (sched/step_place.h); one that does not fit now waits here and starts when others have ended.
#include <algorithm>

#include "base/duration.h"
#include "controller/core.h"
#include "controller/step_demand.h"

namespace muster::controller {

namespace {

// What the job's other steps have. One that overlaps takes nothing from anybody.
std::vector<NodeShare> shares_in_use(const Job& job) {
  std::vector<NodeShare> used;
  for (const auto& [id, step] : job.steps) {
    if (id >= kBatchStep || step.overlap || is_ended(step.state)) continue;
    for (const StepNode& place : step.nodes) {
      if (!step.unfinished.contains(place.node)) continue;
      used.push_back(place.share);
      if (step.shares_memory) used.back().memory_mib = 0;
    }
  }
  return used;
}

// It only has to wait.
bool is_temporary(const Error& error) {
  return error.code == ErrorCode::nodes_busy || error.code == ErrorCode::job_suspended;
}

// The parts of a step over several components: ranks and nodes counted on from part to part.
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

// --multi-prog: each part has counted its ranks from 0.
void count_programs_from(std::uint32_t first_task, wire::StepRequest& part) {
  if (first_task == 0) return;
  decltype(part.argv_by_rank) counted;
  for (auto& [rank, argv] : part.argv_by_rank) counted[rank + first_task] = std::move(argv);
  part.argv_by_rank = std::move(counted);
}

}  // namespace

Result<void> Core::can_take_steps(Caller caller, JobId id) const {
  const Job* job = cluster_.jobs.find(id);
  if (!job) return fail(ErrorCode::invalid_job_id);
  if (!may_change(caller, *job)) return fail(ErrorCode::access_denied);
  if (job->state == JobState::pending) return fail(ErrorCode::job_pending);
  if (is_ended(job->state) || job->ending) return fail(ErrorCode::already_done);
  if (job->state == JobState::suspended) return fail(ErrorCode::job_suspended);
  if (job->next_step >= cluster_.settings().max_step_count)
    return fail("Step limit reached for this job");
  return {};
}

// One component's part of a step, without its number.
Result<Step> Core::place_step(Caller caller, const wire::StepRequest& request, Time now) const {
  if (auto ok = can_take_steps(caller, request.job); !ok) return std::unexpected(ok.error());
  const Job& job = cluster_.jobs.at(request.job);
  auto wanted = step_demand(cluster_, job, request);
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
  step.overlap = request.overlap;
  step.shares_memory = !wanted->demand.counts_memory;
  if (request.time_limit && *request.time_limit != kUnlimited)
    step.time_limit = *request.time_limit;
  step.nodes = std::move(*nodes);
  for (const StepNode& place : step.nodes) step.unfinished.insert(place.node);
  return step;
}

// Components of a heterogeneous job number their steps together.
StepId Core::next_step_id(const Job& job) const {
  std::uint32_t next = 0;
  for (const Job* component : cluster_.components(job)) next = std::max(next, component->next_step);
  return StepId{next};
}

Result<wire::StepReply> Core::start_step(Caller caller, wire::StepRequest& request, Time now) {
  std::vector<wire::StepRequest*> requests{&request};
  for (wire::StepRequest& part : request.parts) requests.push_back(&part);
  std::vector<Step> steps;
  std::vector<JobId> jobs;
  for (const wire::StepRequest* each : requests) {
    auto step = place_step(caller, *each, now);
    if (!step) return std::unexpected(step.error());
    steps.push_back(std::move(*step));
    jobs.push_back(each->job);
  }
  const StepId id = next_step_id(cluster_.jobs.at(request.job));
  if (steps.size() > 1) count_through(steps);
  if (request.rendezvous) {
    auto port = meeting_port(steps.front().nodes.front().node, request.job, id);
    if (!port) return std::unexpected(port.error());
    for (Step& step : steps) step.meeting_port = *port;
  }
  wire::StepReply reply{.step = id};
  for (std::size_t i = requests.size(); i-- > 0;) {  // the first one holds the others
    wire::StepRequest& part = *requests[i];
    Step& step = steps[i];
    step.id = id;
    count_programs_from(step.het.first_task, part);
    for (const StepNode& place : step.nodes) touch_node(place.node);
    touch_job(part.job);
    step_launches_[{jobs[i], id}] = std::move(part);
    record(StepCreated{.job = jobs[i], .step = step});
  }
  for (std::size_t i = 0; i < steps.size(); ++i)
    add_places(cluster_.jobs.at(jobs[i]), steps[i], reply);
  return reply;
}

void Core::add_places(const Job& job, const Step& step, wire::StepReply& reply) const {
  reply.num_tasks += step.num_tasks;
  for (const StepNode& place : step.nodes) {
    const NodeConfig& node = cluster_.nodes.at(place.node).config;
    reply.places.push_back({.node = node.name,
                            .address = node.address.empty() ? node.name : node.address,
                            .port = node.port,
                            .ranks = place.ranks,
                            .job = job.id,
                            .attempt = job.attempt,
                            .key = host_.step_key(job.id, job.attempt, step.id)});
  }
}

wire::Answer Core::find_step(Caller caller, const wire::AttachStepRequest& request) const {
  const Job* job = cluster_.jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  auto step = job->steps.find(request.step);
  if (step == job->steps.end() || is_ended(step->second.state))
    return Error{ErrorCode::invalid_job_id, {}};
  wire::StepReply reply{.step = step->first};
  add_places(*job, step->second, reply);
  return reply;
}

std::optional<wire::Answer> Core::create_step(ReplyTo to, Caller caller, wire::StepRequest request,
                                              Time now) {
  auto reply = start_step(caller, request, now);
  if (reply) return std::move(*reply);
  // Seconds up to one mean at once, as the reference has it.
  bool may_wait = is_temporary(reply.error()) && request.immediate_s.value_or(2) > 1;
  if (!may_wait) return reply.error();
  Time until = request.immediate_s ? now + Seconds{*request.immediate_s} : Time::max();
  waiting_steps_.push_back({to, caller, std::move(request), until});
  return std::nullopt;
}

// srun alone: the job and its step are asked for together. The wait for the job's end begins here,
// too.
void Core::keep_first_step(ReplyTo to, Caller caller, wire::StepRequest request, JobId job) {
  request.job = job;
  for (std::size_t i = 0; i < request.parts.size(); ++i)
    request.parts[i].job = JobId{job.value + static_cast<std::uint32_t>(i) + 1};
  first_steps_[job] = {to, caller, std::move(request), Time::max()};
  waiters_.push_back({to, job, false});
  ++open_.patient_replies;
}

void Core::start_first_step(JobId job, Time now) {
  auto kept = first_steps_.extract(job);
  if (kept.empty()) return;
  WaitingStep& first = kept.mapped();
  auto reply = create_step(first.to, first.caller, std::move(first.request), now);
  if (reply) answer(first.to, std::move(*reply));
}

// Called before a batch is sealed: room for a step appears only where something of its job changed.
void Core::start_waiting_steps(Time now) {
  if (waiting_steps_.empty()) return;
  IdSet changed = open_.touched_jobs;
  std::erase_if(waiting_steps_, [&](WaitingStep& waiting) {
    auto has_changed = [&](const wire::StepRequest& part) {
      return changed.contains(part.job.value);
    };
    if (!has_changed(waiting.request) && std::ranges::none_of(waiting.request.parts, has_changed))
      return false;
    auto reply = start_step(waiting.caller, waiting.request, now);
    if (!reply && is_temporary(reply.error())) return false;
    answer(waiting.to, reply ? wire::Answer(std::move(*reply)) : wire::Answer(reply.error()));
    return true;
  });
}

void Core::end_impatient_steps(Time now) {
  std::erase_if(waiting_steps_, [&](const WaitingStep& waiting) {
    if (now < waiting.until) return false;
    answer(waiting.to, Error{ErrorCode::nodes_busy, {}});
    return true;
  });
}

// srun -t: the step ends, its job goes on.
void Core::enforce_step_limits(Time now) {
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.state != JobState::running || job.ending) continue;
    for (const auto& [step_id, step] : job.steps) {
      if (step.time_limit.count() == 0 || is_ended(step.state)) continue;
      if (now < step.started + step.time_limit) continue;
      end_step(job, step, " DUE TO TIME LIMIT");
    }
  }
}

// With its parts in other components.
void Core::end_step(const Job& job, const Step& step, std::string_view message_suffix) {
  auto end_part = [&](const Job& owner, const Step& part) {
    for (NodeId node : part.unfinished)
      order(node, wire::EndStepOrder{.ref = {owner.id, owner.attempt, part.id},
                                     .kill_wait = cluster_.settings().kill_wait,
                                     .announce = true,
                                     .message_suffix = message_suffix});
  };
  if (!step.het.is_part()) return end_part(job, step);
  for (const Job* component : cluster_.components(job))
    if (auto part = component->steps.find(step.id); part != component->steps.end())
      end_part(*component, part->second);
}

}  // namespace muster::controller
