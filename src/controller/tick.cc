// What time alone brings about: limits, warnings, deadlines, silent nodes, old records.
#include <algorithm>
#include <csignal>

#include "base/text/duration.h"
#include "controller/core.h"
#include "sched/gate/gate.h"

namespace muster::controller {

void Core::on_tick(Time now) {
  now_ = now;
  if (disk_full_ && in_flight_) {
    host_.commit(in_flight_->batch);
    return;
  }
  mail_time_limits(now);
  enforce_limits(now);
  count_usage_if_due(now);
  note_priorities_if_due(now);
  end_over_limits(now);
  end_graces(now);
  take_turns(now);
  turn_reservations(now);
  watch_nodes(now);
  check_health(now);
  turn_power(now);
  issue_reboots(now);
  end_orphans(now);
  end_impatient_steps(now);
  enforce_step_limits(now);
  // Those whose job nothing happens to any more.
  for (const JobId job : waiters_.jobs()) answer_waiters(job);
  purge_old_jobs(now);
  published_loads_ = std::make_shared<std::map<NodeId, NodeLoad>>(loads_);
  if (open_.empty() && !in_flight_) host_.publish(published());
  // Begin times pass and dependencies with delays fall due without any event.
  if (!cluster_.pending.empty()) want_plan();
}

// OverTimeLimit of the partition, or else the cluster's: jobs may go on for a while.
bool Core::over_time_is_up(const Job& job, Time limit, Time now) const {
  constexpr std::uint32_t kForGood = 0xffffffffu;
  const Partition* partition = cluster_.find_partition(job.partition);
  const std::uint32_t minutes = partition && partition->over_time_limit
                                    ? *partition->over_time_limit
                                    : cluster_.settings().over_time_limit_min;
  return minutes != kForGood && now >= limit + Minutes{minutes};
}

void Core::enforce_limits(Time now) {
  std::vector<JobId> over, due;
  for (std::uint32_t id : cluster_.active.ids()) {
    const Job& job = cluster_.jobs.at(JobId{id});
    if (job.state != JobState::running || job.run->ending) continue;
    Time limit = job.end_limit();
    if (limit == Time::max()) continue;
    if (over_time_is_up(job, limit, now)) {
      over.push_back(job.id);
    } else if (const WarnSignal& w = job.spec->warn_signal;
               w.number && !is_set(job.run->warned) &&
               now >= limit - Seconds{w.seconds_before_end}) {
      due.push_back(job.id);
    }
  }
  for (JobId id : over) time_out(id, "reached its time limit", now);
  for (JobId id : due) warn(id, now);
  std::vector<JobId> late;
  for (const JobId id : watch_list_.with_deadline()) {
    const Job& job = cluster_.jobs.at(id);
    if (job.hold == Hold::none && sched::misses_deadline(job, now)) late.push_back(job.id);
  }
  for (JobId id : late)
    (void)end_job(cluster_.jobs.at(id), {.becomes = JobState::deadline, .since = now}, "DeadLine",
                  now);
}

// The signal that the job asked for with --signal.
void Core::warn(JobId id, Time now) {
  JobWarned warned{.job = id, .at = now, .missed_by = {}};
  for (NodeId node : cluster_.jobs.at(id).run->unfinished)
    if (sessions_.contains(node))
      warn_on(node, id);
    else
      warned.missed_by.insert(node);
  record(warned);
}

void Core::warn_on(NodeId node, JobId id) {
  const Job& job = cluster_.jobs.at(id);
  const WarnSignal& warning = job.spec->warn_signal;
  for (int signal : {SIGCONT, warning.number}) {  // who is stopped hears it, too
    wire::SignalOrder o{.job = id, .attempt = job.attempt, .signal = signal};
    o.batch = warning.batch_shell_only;
    o.all_steps = !warning.batch_shell_only;
    o.announce = signal == warning.number && is_announced(o.signal, o.batch);
    order(node, o);
  }
}

void Core::warn_belatedly(NodeId node, JobId id) {
  const Job& job = cluster_.jobs.at(id);
  JobWarned warned{.job = id, .at = job.run->warned, .missed_by = job.run->unwarned};
  if (job.run->ending || !is_active(job.state) || warned.missed_by.erase(node) == 0) return;
  warn_on(node, id);
  record(warned);
}

void Core::time_out(JobId id, std::string_view why, Time now) {
  host_.log("job " + std::to_string(id.value) + " " + std::string(why));
  mail_once(id, kMailTimeLimit, now);
  (void)end_job(cluster_.jobs.at(id), {.becomes = JobState::timeout, .since = now}, "", now);
}

// Ended jobs stay listed for MinJobAge, longer where tasks of their array are left. Of one that
// waiting jobs depend on, how it ended is remembered as long as they wait.
void Core::purge_old_jobs(Time now) {
  constexpr Seconds kLookAgainAfter{1};
  JobsPurged purged;
  auto is_needed = [&](JobId id, JobId array) {
    return watch_list_.is_needed(id) || watch_list_.is_needed(array);
  };
  auto forget = [&](JobId id) {
    const JobOutcome* outcome = cluster_.outcomes.find(id);
    if (outcome && !is_needed(id, outcome->array_id)) purged.jobs.insert(id.value);
  };
  for (JobId id : watch_list_.take_unneeded()) {
    forget(id);
    if (const TaskIndex* tasks = cluster_.task_index(id)) tasks->each(forget);
  }
  const Seconds age = cluster_.settings().min_job_age;
  auto is_old = [&](const Job& job) {
    return is_ended(job.state) && job.run->unfinished.empty() && now - job.run->ended >= age;
  };
  auto may_go = [&](const Job& job) {
    if (job.array_id == job.id && !job.array->task_jobs.empty()) return false;
    // Components stay as long as the others: a requeue brings back all of them.
    return std::ranges::all_of(cluster_.components(job), [&](const Job* c) { return is_old(*c); });
  };
  const bool for_good = age.count() == 0;  // MinJobAge=0: they stay
  for (JobId id : for_good ? std::vector<JobId>{} : watch_list_.take_ended_before(now - age)) {
    const Job* job = cluster_.jobs.find(id);
    if (!job || !is_ended(job->state)) continue;  // it was requeued
    if (!may_go(*job))
      watch_list_.look_again(id, now - age + kLookAgainAfter);
    else if (is_needed(id, job->array_id))
      purged.remembered.insert(id.value);
    else
      purged.jobs.insert(id.value);
  }
  if (!purged.jobs.empty() || !purged.remembered.empty()) record(std::move(purged));
}

}  // namespace muster::controller
