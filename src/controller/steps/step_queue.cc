// Steps that do not fit beside those that run: first come, first tried. An srun waits for its own;
// one that was queued with --async is part of the state and starts when its srun has gone.
#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/slow_down.h"
#include "controller/core.h"
#include "controller/steps/step_demand.h"
#include "controller/submit/request_check.h"

namespace muster::controller {

namespace {

constexpr std::ptrdiff_t kWaitingStepsPerUser = 10000;

std::uint64_t size_of_step(const wire::StepRequest& request) {
  std::uint64_t bytes = sizeof(request);
  for (const auto* list : {&request.argv, &request.environment})
    for (const std::string& text : *list) bytes += sizeof(text) + text.size();
  for (const auto& [rank, argv] : request.argv_by_rank)
    for (const std::string& text : argv) bytes += sizeof(text) + text.size();
  for (const wire::StepRequest& part : request.parts) bytes += size_of_step(part);
  return bytes;
}

// It only has to wait.
bool is_temporary(const Error& error) {
  return error.code == ErrorCode::nodes_busy || error.code == ErrorCode::job_suspended;
}

}  // namespace

std::optional<wire::Answer> Core::create_step(ReplyTo to, Caller caller, wire::StepRequest request,
                                              Time now) {
  if (auto ok = tame_times(request); !ok) return ok.error();
  shorten(request.submit_line, cluster_.settings().request_limits.text);
  for (wire::StepRequest& part : request.parts)
    shorten(part.submit_line, cluster_.settings().request_limits.text);
  if (request.unallocated) return run_unallocated(caller, request, now);
  if (request.async) return queue_step(caller, std::move(request), now);
  auto reply = start_step(caller, request, std::nullopt, now);
  if (reply) return std::move(*reply);
  // Seconds up to one mean at once, as the reference has it.
  bool may_wait = is_temporary(reply.error()) && request.immediate_s.value_or(2) > 1;
  if (!may_wait) return reply.error();
  if (auto ok = has_room_to_wait(request); !ok) return ok.error();
  const auto waiting =
      std::ranges::count(waiting_steps_, caller.uid, [](const auto& w) { return w.caller.uid; });
  if (waiting >= kWaitingStepsPerUser && !is_operator(caller)) return slow_down(Seconds{1});
  Time until = request.immediate_s ? now + Seconds{*request.immediate_s} : Time::max();
  waiting_steps_.push_back({to, caller, std::move(request), until, std::nullopt});
  return std::nullopt;
}

// What waits is kept in memory: so many steps of a job, and so many bytes of them.
Result<void> Core::has_room_to_wait(const wire::StepRequest& request) const {
  const RequestLimits& limits = cluster_.settings().request_limits;
  std::uint64_t steps = 1, bytes = size_of_step(request);
  for (const WaitingStep& waiting : waiting_steps_) {
    if (waiting.request.job != request.job) continue;
    ++steps;
    bytes += size_of_step(waiting.request);
  }
  if (steps > limits.waiting_steps)
    return std::unexpected(
        beyond_limit("steps of the job wait", steps, limits, &RequestLimits::waiting_steps));
  if (bytes > limits.waiting_bytes)
    return std::unexpected(
        beyond_limit("waiting steps", bytes, limits, &RequestLimits::waiting_bytes));
  return {};
}

// srun alone: the job and its step are asked for together. The wait for the job's end begins here,
// too.
void Core::keep_first_step(ReplyTo to, Caller caller, wire::StepRequest request, JobId job) {
  request.job = job;
  for (std::size_t i = 0; i < request.parts.size(); ++i)
    request.parts[i].job = JobId{job.value + static_cast<std::uint32_t>(i) + 1};
  first_steps_[job] = {to, caller, std::move(request), Time::max(), std::nullopt};
  // Who may not wait any more gets the refusal in place of the step, and gives the job back.
  if (auto waits = waiters_.add({.to = to, .job = job, .user = caller.uid}); !waits) {
    first_steps_.erase(job);
    return answer(to, waits.error());
  }
  ++open_.patient_replies;
}

void Core::start_first_step(JobId job, Time now) {
  auto kept = first_steps_.extract(job);
  if (kept.empty()) return;
  WaitingStep& first = kept.mapped();
  auto reply = create_step(*first.to, first.caller, std::move(first.request), now);
  if (reply) answer(*first.to, std::move(*reply));
}

// Its number is given now; where it runs is decided when the batch is sealed, behind all that wait.
wire::Answer Core::queue_step(Caller caller, wire::StepRequest request, Time now) {
  if (!request.parts.empty()) return Error{ErrorCode::failure, "--async takes one command"};
  auto placed = place_step(caller, request, {}, now);
  if (!placed && !is_temporary(placed.error())) return placed.error();
  if (auto ok = has_room_to_wait(request); !ok) return ok.error();
  const JobId job = request.job;
  Step step;
  step.id = next_step_id(cluster_.jobs.at(job));
  step.name = request.name;
  step.state = JobState::pending;
  step.num_tasks = placed ? placed->num_tasks : request.num_tasks.value_or(1);
  step.submit_line = request.submit_line;
  step.request = encode(request);
  record(StepQueued{.job = job, .step = step});
  waiting_steps_.push_back({std::nullopt, caller, std::move(request), Time::max(), step.id});
  return wire::StepReply{.step = step.id};
}

// Called before a batch is sealed: room for a step appears only where something of its job changed.
void Core::start_waiting_steps(Time now) {
  if (waiting_steps_.empty()) return;
  IdSet changed = open_.changes.jobs;
  const bool counts_ports = !cluster_.settings().step_ports.empty();  // other jobs may have them
  std::erase_if(waiting_steps_, [&](WaitingStep& waiting) {
    auto has_changed = [&](const wire::StepRequest& part) {
      return changed.contains(part.job.value) || counts_ports;
    };
    if (!has_changed(waiting.request) && std::ranges::none_of(waiting.request.parts, has_changed))
      return false;
    if (waiting.number && !is_queued(waiting.request.job, *waiting.number)) return true;
    const JobId job = waiting.request.job;
    auto reply = start_step(waiting.caller, waiting.request, waiting.number, now);
    if (!reply && is_temporary(reply.error())) return false;
    if (waiting.to)
      answer(*waiting.to, reply ? wire::Answer(std::move(*reply)) : wire::Answer(reply.error()));
    else if (!reply)
      record(StepDequeued{.job = job, .step = *waiting.number});
    return true;
  });
}

void Core::end_impatient_steps(Time now) {
  std::erase_if(waiting_steps_, [&](const WaitingStep& waiting) {
    if (now < waiting.until) return false;
    answer(*waiting.to, Error{ErrorCode::nodes_busy, {}});
    return true;
  });
}

bool Core::is_queued(JobId id, StepId step) const {
  const Job* job = cluster_.jobs.find(id);
  return job && job->run->queued_steps.contains(step);
}

// scancel of a step that waits.
Result<void> Core::cancel_queued_step(const Job& job, StepId step) {
  if (!job.run->queued_steps.contains(step)) return fail(ErrorCode::invalid_step);
  const JobId id = job.id;
  record(StepDequeued{.job = id, .step = step});
  return {};
}

// After a restart: what waits in the state waits here again, and what was created but perhaps not
// launched can be.
Result<void> Core::recover_queued_steps() {
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    const Caller owner{job.spec->uid, job.spec->gid};
    auto decoded = [&](const Step& step) { return decode<wire::StepRequest>(step.request.view()); };
    for (const auto& [step_id, step] : job.run->queued_steps) {
      auto request = decoded(step);
      if (!request) return fail("a step that waits cannot be read: " + request.error().text());
      waiting_steps_.push_back({std::nullopt, owner, std::move(*request), Time::max(), step_id});
    }
    for (const auto& [step_id, step] : job.run->steps) {
      if (step.request.empty()) continue;
      auto request = decoded(step);
      if (!request) return fail("a step that runs cannot be read: " + request.error().text());
      step_launches_[{job.id, step_id}] = std::move(*request);
    }
    if (!job.run->queued_steps.empty()) open_.changes.jobs.insert(id);
  }
  return {};
}

}  // namespace muster::controller
