// Heterogeneous jobs: which ends concern one component, and which concern all. The first component
// runs the script; when it ends, the others have no purpose any more. See ending.h.
#include "controller/jobs/ending.h"

#include <algorithm>

namespace muster::controller {

void order_end(Ledger& ledger, JobId id, const Ending& ending, Reach reach) {
  IdSet ids = IdSet::range(id.value, id.value);
  auto goes_on = [&](const Job& job) {  // or is requeued
    if (!is_active(job.state)) return false;
    return !job.run->ending || (job.run->ending->requeue && !ending.requeue);
  };
  if (reach == Reach::all_components)
    for (const Job* component : ledger.cluster().components(ledger.job(id)))
      if (goes_on(*component)) ids.insert(component->id.value);
  ledger.record(JobsEnding{.jobs = ids, .ending = ending});
  for (std::uint32_t each : ids.ids()) ledger.touch_nodes_of(ledger.job(JobId{each}));
}

void advance_endings(Ledger& ledger, JobId id) {
  std::vector<JobId> ids;
  for (const Job* component : ledger.cluster().components(ledger.job(id)))
    ids.push_back(component->id);
  for (JobId each : ids) advance_ending(ledger, each);
}

void end_other_components(Ledger& ledger, JobId id) {
  const Time now = ledger.now();
  const Job& leader = ledger.job(id);
  if (!leader.is_het() || !leader.leads() || !is_ended(leader.state)) return;
  JobEnded end{.state = leader.state,
               .exit_status = leader.run->exit_status,
               .at = now,
               .reason = leader.end_reason};
  std::vector<JobId> left;
  for (const Job* component : ledger.cluster().components(leader))
    if (is_active(component->state) && !component->run->ending) left.push_back(component->id);
  for (JobId each : left) {
    end.job = each;
    end.derived_exit_status = ledger.job(each).run->derived_exit_status;
    record_end(ledger, end);
    advance_ending(ledger, each);
  }
}

void requeue_components(Ledger& ledger, JobId id) {
  std::vector<JobId> ids;
  std::optional<Ending> ending;
  for (const Job* component : ledger.cluster().components(ledger.job(id))) {
    if (!component->run->unfinished.empty()) return;
    bool returns =
        is_active(component->state) && component->run->ending && component->run->ending->requeue;
    if (returns && !ending) ending = component->run->ending;
    ids.push_back(component->id);
  }
  if (!ending) return;
  for (JobId each : ids) requeue_now(ledger, each, *ending);
}

bool ends_alone(const Cluster& cluster, const Job& job) {
  if (job.leads()) return false;
  const Job* leader = cluster.jobs.find(job.het_id);
  return leader && is_active(leader->state) && !leader->run->ending;
}

}  // namespace muster::controller
