// Preemption: a running job is told to make room, has its grace, and then ends or goes back to the
// queue.
#include <algorithm>
#include <csignal>

#include "controller/core.h"
#include "sched/preempt/preempt.h"

namespace muster::controller {

void Core::evict(const sched::Eviction& eviction, Time now) {
  const Job* job = cluster_.jobs.find(eviction.victim);
  if (!job || job->run->ending || job->run->preemption) return;
  if (job->state != JobState::running && job->state != JobState::suspended) return;
  const Job* by = cluster_.jobs.find(eviction.by);
  if (!by || by->state != JobState::pending || by->hold != Hold::none) return;
  Seconds grace = sched::grace_time(cluster_, *job, by);
  host_.log("job " + std::to_string(job->id.value) + " is preempted by job " +
            std::to_string(eviction.by.value));
  give_notice(job->id,
              {.by = eviction.by, .mode = eviction.mode, .since = now, .kill_at = now + grace});
}

void Core::give_notice(JobId id, const Preemption& preemption) {
  record(JobPreempted{.job = id, .preemption = preemption});
  const bool has_grace = preemption.kill_at > preemption.since;
  std::vector<JobId> told;
  for (const Job* component : cluster_.components(cluster_.jobs.at(id)))
    told.push_back(component->id);
  for (JobId component : told) {
    const Job& job = cluster_.jobs.at(component);
    if (cluster_.settings().preempt.send_user_signal && job.spec->warn_signal.number &&
        !is_set(job.run->warned))
      warn(component, preemption.since);
    else if (has_grace)
      tell_to_save(job);
  }
  if (!has_grace) end_preempted(id, preemption.since);
}

// The notice reaches the script and all that it runs as well: a trap there, or the program in its
// foreground, has the whole grace to save its work.
void Core::tell_to_save(const Job& job) {
  for (int signal : {SIGCONT, SIGTERM}) {
    wire::SignalOrder o{.job = job.id, .attempt = job.attempt, .signal = signal};
    o.batch = o.whole_batch = o.all_steps = o.notice = true;
    for (NodeId node : job.run->unfinished) order(node, o);
  }
}

void Core::end_preempted(JobId id, Time now) {
  const Job& job = cluster_.jobs.at(id);
  Ending ending{.becomes = JobState::preempted, .since = now};
  ending.requeue = job.run->preemption->mode == PreemptMode::requeue;
  order_end(id, ending, Reach::all_components);
  settle_components(id, now);
}

namespace {

// The grace of a job that was suspended in it is over when it has had its time.
bool stands_still(const Job& job) {
  return job.state == JobState::suspended && !job.run->awaits_turn &&
         job.run->suspended_at >= job.run->preemption->since;
}

}  // namespace

void Core::end_graces(Time now) {
  std::vector<JobId> over;
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.run->preemption && !job.run->ending && is_active(job.state) &&
        now >= job.run->preemption->kill_at && !stands_still(job))
      over.push_back(job.id);
  }
  for (JobId id : over) end_preempted(id, now);
}

// What becomes of a run that ended by itself: nothing special, or another one.
std::optional<Ending> Core::ends_as(const Job& job, Time now) const {
  if (job.run->preemption)
    return Ending{.becomes = JobState::preempted,
                  .since = now,
                  .requeue = job.run->preemption->mode == PreemptMode::requeue};
  auto batch = job.run->steps.find(kBatchStep);
  if (batch == job.run->steps.end()) return std::nullopt;
  std::uint32_t status = batch->second.exit_status;
  if ((status & 0x7f) != 0 || status == 0) return std::nullopt;
  const Settings& s = cluster_.settings();
  std::uint32_t code = status >> 8;
  bool held = s.requeue_exits_held.contains(code);
  if (!held && !s.requeue_exits.contains(code)) return std::nullopt;
  Ending ending{
      .becomes = JobState::failed, .since = now, .requeue = true, .hold = held, .special = held};
  ending.delay = pause_before_next_run(job, now);
  return ending;
}

// A script that goes back as soon as it runs would keep its node busy with starting it.
Seconds Core::pause_before_next_run(const Job& job, Time now) {
  constexpr Seconds kStartsApart{10};
  return std::max(std::chrono::ceil<Seconds>(job.run->started + kStartsApart - now), Seconds{0});
}

}  // namespace muster::controller
