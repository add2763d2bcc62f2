// Answers waiting commands when a commit changes their jobs, and ends allocations without a
// command.
#include "controller/allocation/allocations.h"

#include <algorithm>

#include "controller/views/view.h"
#include "controller/views/visibility.h"

namespace muster::controller {

void Allocations::remove_keeper(JobId job) {
  std::erase_if(keeper_, [&](const auto& entry) { return entry.second == job; });
  orphans_.erase(job);
}

void Allocations::on_client_closed(std::uint64_t connection) {
  waiters_.remove_connection(connection);
  auto kept = keeper_.find(connection);
  if (kept == keeper_.end()) return;
  add_orphan(kept->second);
  keeper_.erase(kept);
}

std::vector<JobId> Allocations::take_lost_orphans() {
  constexpr Seconds kUsualPatience{20};
  const Seconds limit = ledger_.settings().inactive_limit;
  std::vector<JobId> lost;
  std::erase_if(orphans_, [&](const auto& entry) {
    const auto& [id, since] = entry;
    const Job* job = ledger_.cluster().jobs.find(id);
    if (!job || is_ended(job->state) || job->run->ending) return true;
    const bool limited = limit > Seconds{0} && job->state != JobState::pending;
    if (ledger_.now() - since < (limited ? limit : kUsualPatience)) return false;
    lost.push_back(id);
    return true;
  });
  return lost;
}

Result<void> Allocations::tell_keeper(const Job& job, const Text& message) {
  const JobId kept = job.het_id ? job.het_id : job.id;
  auto keeper = std::ranges::find(keeper_, kept, [](const auto& entry) { return entry.second; });
  const Waiter* waiter = keeper == keeper_.end() ? nullptr : waiters_.find(keeper->first, kept);
  if (!waiter) return fail(ErrorCode::disabled);
  host_.reply(waiter->to, wire::Notice{message});
  return {};
}

void Allocations::wait(ReplyTo to, Caller caller, const wire::WaitJobRequest& request) {
  const Cluster& cluster = ledger_.cluster();
  const Authority& authority = ledger_.authority();
  const Job* job = cluster.jobs.find(request.job);
  if (job && !Visibility(cluster, {caller.uid, authority.is_operator(caller), {}}).sees(*job))
    return host_.reply(to, Error{ErrorCode::invalid_job_id, {}});
  const auto added = waiters_.add({.to = to,
                                   .job = request.job,
                                   .until_started = request.until_started,
                                   .step = request.step,
                                   .until_ready = request.until_ready,
                                   .user = caller.uid});
  if (!added) return host_.reply(to, added.error());
  if (job && job->spec->kind == JobKind::allocation && authority.may_change(caller, *job)) {
    if (request.ownership != wire::Ownership::unchanged) remove_keeper(request.job);
    if (request.ownership == wire::Ownership::take) set_keeper(to.connection, request.job);
  }
  answer_waiters(request.job);
}

Result<void> Allocations::wait_for_end(ReplyTo to, Caller caller, JobId job) {
  return waiters_.add({.to = to, .job = job, .user = caller.uid});
}

void Allocations::answer_waiters(JobId job) {
  waiters_.remove_if(job, [&](const Waiter& waiter) { return is_answered(waiter); });
}

// A client that waits for a component waits for the other components as well.
void Allocations::answer_waiters_of(const IdSet& changed) {
  if (waiters_.empty()) return;
  const Cluster& committed = ledger_.committed();
  for (const std::uint32_t id : changed.ids()) {
    const Job* job = committed.jobs.find(JobId{id});
    answer_waiters(JobId{id});
    if (!job || !job->is_het()) continue;
    for (const Job* component : committed.components(*job)) answer_waiters(component->id);
  }
}

// Also waiters whose job no event names any more.
void Allocations::answer_all_waiters() {
  for (const JobId job : waiters_.jobs()) answer_waiters(job);
}

// Sends the answer if the job or step has reached what the client waits for.
bool Allocations::is_answered(const Waiter& w) {
  const Cluster& committed = ledger_.committed();
  const Job* job = committed.jobs.find(w.job);
  if (w.step) {
    auto is_over = [&](const Job* component) { return is_step_over(*component, *w.step); };
    if (job && !std::ranges::all_of(committed.components(*job), is_over)) return false;
    host_.reply(w.to, wire::Done{});
    return true;
  }
  if (!job) {
    // Its JobSubmitted is not committed yet.
    if (ledger_.cluster().jobs.contains(w.job)) return false;
    host_.reply(w.to, Error{ErrorCode::invalid_job_id, {}});
    return true;
  }
  bool over = is_ended(job->state) && !job->completing();
  const bool prepares =
      w.until_ready && std::ranges::any_of(committed.components(*job),
                                           [](const Job* c) { return c->run->preparing; });
  if (!over && !(w.until_started && job->state != JobState::pending && !prepares)) return false;
  wire::JobsReply reply{.now = ledger_.now()};
  for (const Job* component : committed.components(*job))
    reply.jobs.push_back(view_of(planning_.published(), *component));
  host_.reply(w.to, std::move(reply));
  return true;
}

void Allocations::forget_undone() {
  std::erase_if(keeper_,
                [&](const auto& entry) { return !ledger_.cluster().jobs.contains(entry.second); });
}

void Allocations::on_clock_step(Millis by) {
  for (auto& [id, since] : orphans_) since += by;
}

void Allocations::on_standstill(Millis span) {
  for (auto& [id, since] : orphans_) since = std::min(since + span, ledger_.now());
}

}  // namespace muster::controller
