// Starts and ends the grace period of preempted jobs.
#include "controller/jobs/preempt.h"

#include <algorithm>
#include <csignal>

#include "controller/jobs/ending.h"
#include "controller/jobs/notices.h"
#include "controller/jobs/signals.h"
#include "sched/preempt/preempt.h"

namespace muster::controller {

void evict(Ledger& ledger, const NodeLinks& links, const sched::Eviction& eviction) {
  const Time now = ledger.now();
  const Job* job = ledger.cluster().jobs.find(eviction.victim);
  if (!job || job->run->ending || job->run->preemption) return;
  if (job->state != JobState::running && job->state != JobState::suspended) return;
  const Job* by = ledger.cluster().jobs.find(eviction.by);
  if (!by || by->state != JobState::pending || by->hold != Hold::none) return;
  Seconds grace = sched::grace_time(ledger.cluster(), *job, by);
  give_notice(ledger, links, job->id,
              {.by = eviction.by, .mode = eviction.mode, .since = now, .kill_at = now + grace});
}

namespace {

void end_preempted(Ledger& ledger, JobId id) {
  const Time now = ledger.now();
  const Job& job = ledger.job(id);
  Ending ending{.becomes = JobState::preempted, .since = now};
  ending.requeue = job.run->preemption->mode == PreemptMode::requeue;
  order_end(ledger, id, ending, Reach::all_components);
  advance_endings(ledger, id);
}

}  // namespace

void give_notice(Ledger& ledger, const NodeLinks& links, JobId id, const Preemption& preemption) {
  ledger.record(JobPreempted{.job = id, .preemption = preemption});
  const bool has_grace = preemption.kill_at > preemption.since;
  std::vector<JobId> told;
  for (const Job* component : ledger.cluster().components(ledger.job(id)))
    told.push_back(component->id);
  for (JobId component : told) {
    const Job& job = ledger.job(component);
    if (ledger.settings().preempt.send_user_signal && job.spec->warn_signal.number &&
        !is_set(job.run->warned))
      warn(ledger, links, component);
    else if (has_grace)
      tell_stop(ledger, job), send_grace_signals(ledger, job);
  }
  if (!has_grace) end_preempted(ledger, id);
}

void send_grace_signals(Ledger& ledger, const Job& job) {
  for (int signal : {SIGCONT, SIGTERM}) {
    wire::SignalOrder o{.job = job.id, .attempt = job.attempt, .signal = signal};
    o.batch = o.whole_batch = o.all_steps = o.notice = true;
    for (NodeId node : job.run->unfinished) ledger.order(node, o);
  }
}

namespace {

// A job that was suspended in its grace period gets the rest of it later.
bool stands_still(const Job& job) {
  return job.state == JobState::suspended && !job.run->awaits_turn &&
         job.run->suspended_at >= job.run->preemption->since;
}

}  // namespace

void end_graces(Ledger& ledger) {
  const Time now = ledger.now();
  std::vector<JobId> over;
  for (std::uint32_t id : ledger.cluster().active.ids()) {
    const Job& job = ledger.job(JobId{id});
    if (job.run->preemption && !job.run->ending && is_active(job.state) &&
        now >= job.run->preemption->kill_at && !stands_still(job))
      over.push_back(job.id);
  }
  for (JobId id : over) end_preempted(ledger, id);
}

}  // namespace muster::controller
