// What a job is told of a stop to come, as it follows from the state.
#include "controller/effects/stop_notice.h"

#include <algorithm>
#include <csignal>

namespace muster::controller {

namespace {

StopReason reason_of(const Ending& ending, const Run& run) {
  if (ending.again == Again::piece) return StopReason::piece_end;
  switch (ending.becomes) {
    case JobState::preempted:
      return run.preemption && run.preemption->by ? StopReason::preempted : StopReason::shutdown;
    case JobState::timeout:
      return StopReason::time_limit;
    case JobState::node_fail:
      return StopReason::node_failed;
    case JobState::deadline:
      return StopReason::deadline;
    default:
      return ending.requeue ? StopReason::requeued : StopReason::cancelled;
  }
}

// That of a heterogeneous job is its first component's.
const Preemption* preemption_of(const Cluster& cluster, const Job& job) {
  const Job* leader = job.leads() ? &job : cluster.jobs.find(job.het_id);
  for (const Job* each : {&job, leader})
    if (each && each->run->preemption) return &*each->run->preemption;
  return nullptr;
}

// Its --signal was sent, and nobody has given it more time since.
bool was_warned_of_limit(const Job& job, Time now) {
  return is_set(job.run->warned) &&
         is_near_limit(job, Seconds{job.spec->warn_signal.seconds_before_end}, now);
}

StopNotice until(StopReason reason, int signal, Time end, Time now) {
  StopNotice notice{.reason = reason, .signal = signal};
  notice.has_deadline = end != Time::max();
  if (notice.has_deadline) notice.left = std::max(end - now, Millis{0});
  return notice;
}

}  // namespace

std::optional<StopNotice> stop_notice(const Cluster& cluster, const Job& job, Time now) {
  if (!is_active(job.state)) return std::nullopt;
  const Run& run = *job.run;
  const Seconds kill_wait = cluster.settings().kill_wait;
  std::optional<StopNotice> notice;
  if (run.ending) {
    const Time end = run.ending->since + kill_wait + run.ending->grace;
    notice = until(reason_of(*run.ending, run), SIGTERM, end, now);
    notice->requeue = run.ending->requeue;
  } else if (const Preemption* preemption = preemption_of(cluster, job)) {
    const StopReason reason = preemption->by ? StopReason::preempted : StopReason::shutdown;
    const bool has_own_signal = run.warned >= preemption->since;
    notice = until(reason, has_own_signal ? job.spec->warn_signal.number : SIGTERM,
                   preemption->kill_at, now);
    notice->requeue = preemption->mode == PreemptMode::requeue;
  } else if (is_set(run.noticed) || was_warned_of_limit(job, now)) {
    const bool last = is_last_piece(job);
    const int signal = is_set(run.warned) ? job.spec->warn_signal.number : 0;
    notice =
        until(last ? StopReason::time_limit : StopReason::piece_end, signal, job.end_limit(), now);
    notice->requeue = !last;
  } else if (is_set(run.drain_noticed)) {
    notice = StopNotice{.reason = StopReason::node_drain};
  }
  if (notice && notice->has_deadline)
    notice->may_extend = std::max(cluster.settings().max_grace_extension - run.granted, Seconds{0});
  return notice;
}

bool is_near_limit(const Job& job, Seconds before, Time now) {
  const Time limit = job.end_limit();
  return limit != Time::max() && now >= limit - job.run->over_limit - before;
}

bool is_last_piece(const Job& job) {
  return job.spec->chunk == Minutes{0} || job.run->earlier->pieces + 1 >= job.spec->chunk_max;
}

}  // namespace muster::controller
