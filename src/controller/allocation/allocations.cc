// Answers waiting commands when a commit changes their jobs, and ends allocations without a
// command.
#include "controller/allocation/allocations.h"

#include <algorithm>

#include "controller/views/view.h"
#include "controller/views/visibility.h"

namespace muster::controller {

void Allocations::set_keeper(std::uint64_t connection, JobId job) {
  JobId& mine = job_of_[connection];
  kept_[job] = {.connection = connection, .orphaned = {}};
  if (mine && mine != job) kept_.erase(mine);
  mine = job;
}

// Needs no memory: nobody would tell of this again.
void Allocations::on_client_closed(std::uint64_t connection) {
  waiters_.remove_connection(connection);
  const auto mine = job_of_.extract(connection);
  if (mine.empty()) return;
  const auto kept = kept_.find(mine.mapped());
  if (kept != kept_.end() && kept->second.connection == connection)
    kept->second = {.connection = 0, .orphaned = ledger_.now()};
}

std::vector<JobId> Allocations::lost_orphans() {
  constexpr Seconds kUsualPatience{20};
  const Seconds limit = ledger_.settings().inactive_limit;
  std::erase_if(kept_, [&](const auto& entry) {
    const Job* job = ledger_.cluster().jobs.find(entry.first);
    return !entry.second.connection && (!job || is_ended(job->state) || job->run->ending);
  });
  std::vector<JobId> lost;
  for (const auto& [id, kept] : kept_) {
    if (kept.connection) continue;
    const bool limited = limit > Seconds{0} && ledger_.job(id).state != JobState::pending;
    if (ledger_.now() - kept.orphaned >= (limited ? limit : kUsualPatience)) lost.push_back(id);
  }
  return lost;
}

Result<void> Allocations::tell_keeper(const Job& job, const Text& message) {
  const JobId kept = job.het_id ? job.het_id : job.id;
  auto keeper = kept_.find(kept);
  const Waiter* waiter =
      keeper == kept_.end() ? nullptr : waiters_.find(keeper->second.connection, kept);
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
    if (request.ownership == wire::Ownership::take)
      set_keeper(to.connection, request.job);
    else if (request.ownership != wire::Ownership::unchanged)
      kept_.erase(request.job);
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
  std::erase_if(kept_,
                [&](const auto& entry) { return !ledger_.cluster().jobs.contains(entry.first); });
  std::erase_if(job_of_, [&](const auto& entry) { return !kept_.contains(entry.second); });
}

void Allocations::on_clock_step(Millis by) {
  for (auto& [id, kept] : kept_)
    if (!kept.connection) kept.orphaned += by;
}

void Allocations::on_standstill(Millis span) {
  for (auto& [id, kept] : kept_)
    if (!kept.connection) kept.orphaned = std::min(kept.orphaned + span, ledger_.now());
}

}  // namespace muster::controller
