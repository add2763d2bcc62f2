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

Result<wire::StepReply> Core::start_step(Caller caller, wire::StepRequest& request, Time now) {
  if (auto ok = can_take_steps(caller, request.job); !ok) return std::unexpected(ok.error());
  const Job& job = cluster_.jobs.at(request.job);
  auto wanted = step_demand(cluster_, job, request);
  if (!wanted) return std::unexpected(wanted.error());
  auto nodes = sched::place_step(wanted->held,
                                 request.overlap ? std::vector<NodeShare>{} : shares_in_use(job),
                                 wanted->demand);
  if (!nodes) return std::unexpected(nodes.error());

  Step step;
  step.id = StepId{job.next_step};
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
  for (const StepNode& place : step.nodes) {
    step.unfinished.insert(place.node);
    touch_node(place.node);
  }
  JobId id = job.id;
  wire::StepReply reply = reply_for(job, step);
  touch_job(id);
  step_launches_[{id, step.id}] = std::move(request);
  record(StepCreated{.job = id, .step = std::move(step)});
  return reply;
}

wire::StepReply Core::reply_for(const Job& job, const Step& step) const {
  wire::StepReply reply{.step = step.id,
                        .attempt = job.attempt,
                        .key = host_.step_key(job.id, job.attempt, step.id),
                        .num_tasks = step.num_tasks};
  for (const StepNode& place : step.nodes) {
    const NodeConfig& node = cluster_.nodes.at(place.node).config;
    reply.places.push_back(
        {node.name, node.address.empty() ? node.name : node.address, node.port, place.ranks});
  }
  return reply;
}

wire::Answer Core::find_step(Caller caller, const wire::AttachStepRequest& request) const {
  const Job* job = cluster_.jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  auto step = job->steps.find(request.step);
  if (step == job->steps.end() || is_ended(step->second.state))
    return Error{ErrorCode::invalid_job_id, {}};
  return reply_for(*job, step->second);
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

// Called before a batch is sealed: room for a step appears only where something of its job changed.
void Core::start_waiting_steps(Time now) {
  if (waiting_steps_.empty()) return;
  IdSet changed = open_.touched_jobs;
  std::erase_if(waiting_steps_, [&](WaitingStep& waiting) {
    if (!changed.contains(waiting.request.job.value)) return false;
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
      for (NodeId node : step.unfinished)
        order(node, wire::EndStepOrder{.ref = {job.id, job.attempt, step_id},
                                       .kill_wait = cluster_.settings().kill_wait,
                                       .announce = true,
                                       .message_suffix = " DUE TO TIME LIMIT"});
    }
  }
}

}  // namespace muster::controller
