// Suspends and resumes the jobs of a gang.
#include "controller/jobs/gang.h"

#include "controller/jobs/usage.h"
#include "sched/preempt/gang.h"

namespace muster::controller {

void gang_switch(Ledger& ledger) {
  const Time now = ledger.now();
  const sched::Turns turns = sched::next_turns(ledger.cluster(), now);
  for (JobId id : turns.suspend) pause_in_gang(ledger, id);
  for (JobId id : turns.resume) set_suspended(ledger, id, false, true);
}

void pause_in_gang(Ledger& ledger, JobId id) { set_suspended(ledger, id, true, true); }

void set_suspended(Ledger& ledger, JobId id, bool suspended, bool by_gang) {
  const Time now = ledger.now();
  const Job& job = ledger.job(id);
  for (NodeId node : job.run->unfinished)
    ledger.order(node, wire::SuspendOrder{.job = id, .attempt = job.attempt, .resume = !suspended});
  count_usage(ledger, now);
  ledger.record(JobSuspended{.job = id, .resumed = !suspended, .at = now, .by_turn = by_gang});
}

}  // namespace muster::controller
