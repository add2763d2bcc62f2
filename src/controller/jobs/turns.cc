// Gang scheduling: jobs that hold the same CPUs run in turn, the others are suspended meanwhile.
#include "controller/core.h"
#include "sched/preempt/gang.h"

namespace muster::controller {

void Core::take_turns(Time now) {
  sched::Turns turns = sched::next_turns(cluster_, now);
  for (JobId id : turns.suspend) pause(id, now);
  for (JobId id : turns.resume) set_suspended(id, false, true, now);
}

void Core::pause(JobId id, Time now) { set_suspended(id, true, true, now); }

void Core::set_suspended(JobId id, bool suspended, bool by_turn, Time now) {
  const Job& job = cluster_.jobs.at(id);
  for (NodeId node : job.run->unfinished)
    order(node, wire::SuspendOrder{.job = id, .attempt = job.attempt, .resume = !suspended});
  count_usage(now);
  record(JobSuspended{.job = id, .resumed = !suspended, .at = now, .by_turn = by_turn});
}

}  // namespace muster::controller
