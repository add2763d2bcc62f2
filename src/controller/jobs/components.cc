// Heterogeneous jobs: which ends concern one component, and which all of them. The first component
// runs the script; when it ends, the others have nothing left to wait for.
#include <algorithm>

#include "controller/core.h"

namespace muster::controller {

void Core::order_end(JobId id, const Ending& ending, Reach reach) {
  IdSet ids = IdSet::range(id.value, id.value);
  auto goes_on = [&](const Job& job) {  // or would come back
    if (!is_active(job.state)) return false;
    return !job.run->ending || (job.run->ending->requeue && !ending.requeue);
  };
  if (reach == Reach::all_components)
    for (const Job* component : cluster_.components(cluster_.jobs.at(id)))
      if (goes_on(*component)) ids.insert(component->id.value);
  record(JobsEnding{.jobs = ids, .ending = ending});
  for (std::uint32_t each : ids.ids()) touch_nodes_of(cluster_.jobs.at(JobId{each}));
}

void Core::settle_components(JobId id, Time now) {
  std::vector<JobId> ids;
  for (const Job* component : cluster_.components(cluster_.jobs.at(id)))
    ids.push_back(component->id);
  for (JobId each : ids) settle(each, now);
}

// The run of the first component is over by itself: the others end with it, as it did.
void Core::end_other_components(JobId id, Time now) {
  const Job& leader = cluster_.jobs.at(id);
  if (!leader.is_het() || !leader.leads() || !is_ended(leader.state)) return;
  JobEnded end{.state = leader.state,
               .exit_status = leader.run->exit_status,
               .at = now,
               .reason = leader.end_reason};
  std::vector<JobId> left;
  for (const Job* component : cluster_.components(leader))
    if (is_active(component->state) && !component->run->ending) left.push_back(component->id);
  for (JobId each : left) {
    end.job = each;
    end.derived_exit_status = cluster_.jobs.at(each).run->derived_exit_status;
    record_end(end);
    settle(each, now);
  }
}

// Components go back to the queue together, once the last one has left its nodes.
void Core::put_back_components(JobId id, Time now) {
  std::vector<JobId> ids;
  std::optional<Ending> ending;
  for (const Job* component : cluster_.components(cluster_.jobs.at(id))) {
    if (!component->run->unfinished.empty()) return;
    bool returns =
        is_active(component->state) && component->run->ending && component->run->ending->requeue;
    if (returns && !ending) ending = component->run->ending;
    ids.push_back(component->id);
  }
  if (!ending) return;
  for (JobId each : ids) put_back(*ending, cluster_.jobs.at(each), now);
}

// A component that was ended while the first one goes on.
bool Core::ends_alone(const Job& job) const {
  if (job.leads()) return false;
  const Job* leader = cluster_.jobs.find(job.het_id);
  return leader && is_active(leader->state) && !leader->run->ending;
}

}  // namespace muster::controller
