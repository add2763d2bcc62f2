// Starts steps, or lets them wait until there is room.
#include "controller/steps/steps.h"

#include <algorithm>

#include "base/codec/codec.h"
#include "base/text/slow_down.h"
#include "controller/steps/step.h"
#include "controller/steps/step_demand.h"
#include "controller/steps/unallocated.h"
#include "controller/submit/request_check.h"

namespace muster::controller {

namespace {

constexpr std::ptrdiff_t kWaitingStepsPerUser = 10000;

std::uint64_t size_of_step(const wire::StepRequest& request) {
  std::uint64_t bytes = sizeof(request);
  for (const auto* list : {&request.task.argv, &request.environment})
    for (const std::string& text : *list) bytes += sizeof(text) + text.size();
  for (const auto& [rank, argv] : request.task.argv_by_rank)
    for (const std::string& text : argv) bytes += sizeof(text) + text.size();
  for (const wire::StepRequest& part : request.parts) bytes += size_of_step(part);
  return bytes;
}

// The step can start later.
bool is_temporary(const Error& error) {
  return error.code == ErrorCode::nodes_busy || error.code == ErrorCode::job_suspended;
}

}  // namespace

std::optional<wire::Answer> Steps::ask(ReplyTo to, Caller caller, wire::StepRequest&& request) {
  const Time now = ledger_.now();
  if (auto ok = bound_times(request); !ok) return ok.error();
  shorten(request.submit_line, ledger_.settings().request_limits.text);
  for (wire::StepRequest& part : request.parts)
    shorten(part.submit_line, ledger_.settings().request_limits.text);
  if (request.unallocated) return run_unallocated(ledger_, host_, links_, caller, request);
  if (request.async) return queue_step(caller, std::move(request));
  auto reply = start_step(ledger_, host_, links_.launches(), caller, request, std::nullopt);
  if (reply) return std::move(*reply);
  // As in Slurm, --immediate of one second or less means not to wait at all.
  bool may_wait = is_temporary(reply.error()) && request.immediate_s.value_or(2) > 1;
  if (!may_wait) return reply.error();
  if (auto ok = has_room_to_wait(request); !ok) return ok.error();
  const auto waiting =
      std::ranges::count(waiting_, caller.uid, [](const auto& w) { return w.caller.uid; });
  if (waiting >= kWaitingStepsPerUser && !ledger_.authority().is_operator(caller))
    return slow_down(Seconds{1});
  Time until = request.immediate_s ? now + Seconds{*request.immediate_s} : Time::max();
  WaitingStep& waits = waiting_.emplace_back();  // for which memory may not suffice
  waits = {to, caller, std::move(request), until, std::nullopt};
  return std::nullopt;
}

// Waiting steps are kept in memory, so their number and size are limited.
Result<void> Steps::has_room_to_wait(const wire::StepRequest& request) const {
  const RequestLimits& limits = ledger_.settings().request_limits;
  std::uint64_t steps = 1, bytes = size_of_step(request);
  for (const WaitingStep& waiting : waiting_) {
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

void Steps::keep_first(ReplyTo to, Caller caller, wire::StepRequest request, JobId job) {
  request.job = job;
  for (std::size_t i = 0; i < request.parts.size(); ++i)
    request.parts[i].job = JobId{job.value + static_cast<std::uint32_t>(i) + 1};
  first_[job] = {to, caller, std::move(request), Time::max(), std::nullopt};
  ledger_.await_plan();
}

void Steps::start_first(JobId job) {
  const auto kept = first_.find(job);
  if (kept == first_.end()) return;
  WaitingStep& first = kept->second;
  auto reply = ask(*first.to, first.caller, std::move(first.request));
  if (reply) ledger_.reply(*first.to, std::move(*reply));
  first_.erase(kept);
}

// The step gets its number now. Where it runs is decided when the batch is sealed, after all that
// already wait.
wire::Answer Steps::queue_step(Caller caller, wire::StepRequest&& request) {
  if (!request.parts.empty()) return Error{ErrorCode::failure, "--async takes one command"};
  auto placed = place_part(ledger_, caller, request, {});
  if (!placed && !is_temporary(placed.error())) return placed.error();
  if (auto ok = has_room_to_wait(request); !ok) return ok.error();
  const JobId job = request.job;
  Step step;
  step.id = next_step_id(ledger_.cluster(), ledger_.job(job));
  step.name = request.name;
  step.state = JobState::pending;
  step.num_tasks = placed ? placed->num_tasks : request.num_tasks.value_or(1);
  step.submit_line = request.submit_line;
  step.request = encode(request);
  ledger_.record(StepQueued{.job = job, .step = step});
  waiting_.push_back({std::nullopt, caller, std::move(request), Time::max(), step.id});
  return wire::StepReply{.step = step.id};
}

namespace {

bool is_queued(const Cluster& cluster, JobId id, StepId step) {
  const Job* job = cluster.jobs.find(id);
  return job && job->run->queued_steps.contains(step);
}

}  // namespace

void Steps::start_waiting() {
  if (waiting_.empty()) return;
  const IdSet changed = ledger_.changed_jobs();
  const bool counts_ports = !ledger_.settings().step_ports.empty();  // other jobs may release ports
  auto is_over = [&](WaitingStep& waiting) {
    auto has_changed = [&](const wire::StepRequest& part) {
      return changed.contains(part.job.value) || counts_ports;
    };
    if (!has_changed(waiting.request) && std::ranges::none_of(waiting.request.parts, has_changed))
      return false;
    if (waiting.number && !is_queued(ledger_.cluster(), waiting.request.job, *waiting.number))
      return true;
    const JobId job = waiting.request.job;
    auto reply = start_step(ledger_, host_, links_.launches(), waiting.caller, waiting.request,
                            waiting.number);
    if (!reply && is_temporary(reply.error())) return false;
    if (waiting.to)
      ledger_.reply(*waiting.to,
                    reply ? wire::Answer(std::move(*reply)) : wire::Answer(reply.error()));
    else if (!reply)
      ledger_.record(StepDequeued{.job = job, .step = *waiting.number});
    return true;
  };
  erase_waiting_if(is_over);
}

// Where memory runs out at one of them, all of them stay.
void Steps::erase_waiting_if(const std::function<bool(WaitingStep&)>& is_over) {
  std::vector<bool> over;
  over.reserve(waiting_.size());
  for (WaitingStep& waiting : waiting_) over.push_back(is_over(waiting));
  auto at = over.begin();
  std::erase_if(waiting_, [&](const WaitingStep&) { return *at++; });
}

void Steps::tick() {
  const Time now = ledger_.now();
  erase_waiting_if([&](const WaitingStep& waiting) {
    if (now < waiting.until) return false;
    ledger_.reply(*waiting.to, Error{ErrorCode::nodes_busy, {}});
    return true;
  });
}

Result<void> Steps::recover() {
  for (std::uint32_t id : ledger_.cluster().active.ids()) {
    const Job& job = ledger_.job(JobId{id});
    const Caller owner{job.spec->uid, job.spec->gid};
    auto decoded = [&](const Step& step) { return decode<wire::StepRequest>(step.request.view()); };
    for (const auto& [step_id, step] : job.run->queued_steps) {
      auto request = decoded(step);
      if (!request) return fail("a step that waits cannot be read: " + request.error().text());
      waiting_.push_back({std::nullopt, owner, std::move(*request), Time::max(), step_id});
    }
    for (const auto& [step_id, step] : job.run->steps) {
      if (step.request.empty()) continue;
      auto request = decoded(step);
      if (!request) return fail("a step that runs cannot be read: " + request.error().text());
      links_.launches().keep(job.id, step_id, std::move(*request));
    }
    if (!job.run->queued_steps.empty()) ledger_.mark_changed(job.id);
  }
  return {};
}

void Steps::on_client_closed(std::uint64_t connection) {
  std::erase_if(waiting_,
                [&](const WaitingStep& w) { return w.to && w.to->connection == connection; });
  std::erase_if(first_, [&](const auto& f) { return f.second.to->connection == connection; });
}

bool Steps::serves(std::uint64_t connection) const {
  return std::ranges::any_of(
      waiting_, [&](const WaitingStep& w) { return w.to && w.to->connection == connection; });
}

void Steps::forget_undone() {
  std::erase_if(first_,
                [&](const auto& entry) { return !ledger_.cluster().jobs.contains(entry.first); });
}

void Steps::on_clock_step(Millis by) {
  for (WaitingStep& step : waiting_)
    if (step.until != Time::max()) step.until += by;
}

}  // namespace muster::controller
