// Allocations that a command owns (srun alone, salloc), and commands that wait for a job.
#include <algorithm>

#include "controller/core.h"
#include "controller/steps/step_demand.h"
#include "controller/views/view.h"
#include "controller/views/visibility.h"

namespace muster::controller {

wire::Answer Core::release(Caller caller, const wire::ReleaseRequest& request, Time now) {
  const Job* job = cluster_.jobs.find(request.job);
  if (!job) return Error{ErrorCode::invalid_job_id, {}};
  if (!may_change(caller, *job)) return Error{ErrorCode::access_denied, {}};
  JobId id = job->id;
  disown(id);
  if (job->state == JobState::pending) {
    (void)end_job(*job, {.becomes = JobState::cancelled, .by = caller.uid, .since = now}, "", now);
    return wire::Done{};
  }
  if (is_ended(job->state) || job->run->ending) return wire::Done{};
  const bool failed = request.exit_status != 0;
  const bool out_of_memory = failed && job->run->out_of_memory;
  constexpr std::uint32_t kOutOfMemoryStatus = 125;
  const JobState state = out_of_memory ? JobState::out_of_memory
                         : failed      ? JobState::failed
                                       : JobState::completed;
  const std::uint32_t status = out_of_memory ? kOutOfMemoryStatus : request.exit_status;
  record_end({.job = id,
              .state = state,
              .exit_status = status,
              .derived_exit_status = job->run->derived_exit_status,
              .at = now,
              .reason = end_reason(state, status)});
  settle(id, now);
  return wire::Done{};
}

void Core::disown(JobId job) {
  std::erase_if(allocation_owners_, [&](const auto& entry) { return entry.second == job; });
  orphans_.erase(job);
}

void Core::adopt(std::uint64_t connection, JobId job) {
  disown(job);
  allocation_owners_[connection] = job;
}

void Core::on_client_closed(std::uint64_t connection, Time now) {
  waiters_.remove_connection(connection);
  std::erase_if(waiting_steps_,
                [&](const WaitingStep& w) { return w.to && w.to->connection == connection; });
  std::erase_if(first_steps_, [&](const auto& f) { return f.second.to->connection == connection; });
  auto owned = allocation_owners_.find(connection);
  if (owned == allocation_owners_.end()) return;
  orphans_[owned->second] = now;
  allocation_owners_.erase(owned);
}

// An allocation whose command has gone for good serves nobody.
void Core::end_orphans(Time now) {
  constexpr Seconds kUsualPatience{20};
  const Seconds limit = cluster_.settings().inactive_limit;
  for (auto at = orphans_.begin(); at != orphans_.end();) {
    const Job* job = cluster_.jobs.find(at->first);
    bool over = !job || is_ended(job->state) || job->run->ending;
    const bool limited = limit > Seconds{0} && job && job->state != JobState::pending;
    if (!over && now - at->second < (limited ? limit : kUsualPatience)) {
      ++at;
      continue;
    }
    if (!over) {
      Ending ending{.becomes = JobState::cancelled, .by = job->spec->uid, .since = now};
      if (limited) ending.becomes = JobState::timeout, ending.reason = "InactiveLimit";
      (void)end_job(*job, std::move(ending), "", now);
    }
    at = orphans_.erase(at);
  }
}

bool Core::serves(std::uint64_t connection) const {
  auto is_for_it = [&](const WaitingStep& w) { return w.to && w.to->connection == connection; };
  return waiters_.has_connection(connection) || allocation_owners_.contains(connection) ||
         std::ranges::any_of(waiting_steps_, is_for_it);
}

void Core::wait_job(ReplyTo to, Caller caller, const wire::WaitJobRequest& request) {
  const Job* job = cluster_.jobs.find(request.job);
  if (job && !Visibility(cluster_, {caller.uid, is_operator(caller), {}}).sees(*job))
    return host_.reply(to, Error{ErrorCode::invalid_job_id, {}});
  const auto added = waiters_.add({.to = to,
                                   .job = request.job,
                                   .until_started = request.until_started,
                                   .step = request.step,
                                   .until_ready = request.until_ready,
                                   .user = caller.uid});
  if (!added) return host_.reply(to, added.error());
  if (job && job->spec->kind == JobKind::allocation && may_change(caller, *job)) {
    if (request.ownership == wire::Ownership::take) adopt(to.connection, request.job);
    if (request.ownership == wire::Ownership::leave) disown(request.job);
  }
  answer_waiters(request.job);
}

void Core::answer_waiters(JobId job) {
  waiters_.remove_if(job, [&](const Waiter& waiter) { return is_answered(waiter); });
}

// Whoever waits for a component waits for the others, too.
void Core::answer_waiters_of(const IdSet& changed) {
  if (waiters_.empty()) return;
  for (const std::uint32_t id : changed.ids()) {
    const Job* job = committed_.jobs.find(JobId{id});
    answer_waiters(JobId{id});
    if (!job || !job->is_het()) continue;
    for (const Job* component : committed_.components(*job)) answer_waiters(component->id);
  }
}

// Answers it if what it waits for has come.
bool Core::is_answered(const Waiter& w) {
  const Job* job = committed_.jobs.find(w.job);
  if (w.step) {
    auto is_over = [&](const Job* component) { return is_step_over(*component, *w.step); };
    if (job && !std::ranges::all_of(committed_.components(*job), is_over)) return false;
    host_.reply(w.to, wire::Done{});
    return true;
  }
  if (!job) {
    if (cluster_.jobs.contains(w.job)) return false;  // about to be committed
    host_.reply(w.to, Error{ErrorCode::invalid_job_id, {}});
    return true;
  }
  bool over = is_ended(job->state) && !job->completing();
  const bool prepares =
      w.until_ready && std::ranges::any_of(committed_.components(*job),
                                           [](const Job* c) { return c->run->preparing; });
  if (!over && !(w.until_started && job->state != JobState::pending && !prepares)) return false;
  wire::JobsReply reply{.now = now_};
  for (const Job* component : committed_.components(*job))
    reply.jobs.push_back(view_of(published(), *component));
  host_.reply(w.to, std::move(reply));
  return true;
}

}  // namespace muster::controller
