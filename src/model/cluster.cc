#include "model/cluster.h"

#include <algorithm>

#include "base/hostlist.h"

namespace muster {

const Node* Cluster::find_node(std::string_view name) const {
  auto found = (*node_ids).find(Text(name));
  return found == (*node_ids).end() ? nullptr : nodes.find(found->second);
}

Result<std::vector<NodeId>> Cluster::nodes_named(std::string_view hostlist) const {
  std::vector<NodeId> ids;
  if (hostlist.empty()) return ids;
  auto names = expand_hostlist(hostlist);
  if (!names) return fail(ErrorCode::invalid_node_name);
  for (const std::string& name : *names) {
    const Node* node = find_node(name);
    if (!node) return fail(ErrorCode::invalid_node_name);
    ids.push_back(node->id);
  }
  return ids;
}

const Partition* Cluster::find_partition(std::string_view name) const {
  auto found =
      std::ranges::find_if(*partitions, [&](const Partition& p) { return p.name == name; });
  return found == (*partitions).end() ? nullptr : &*found;
}

const Reservation* Cluster::find_reservation(std::string_view name) const {
  for (const Reservation& r : *reservations)
    if (r.name == name) return &r;
  return nullptr;
}

const Qos* Cluster::find_qos(std::string_view name) const {
  for (const Qos& qos : (*config).qos)
    if (qos.name == name) return &qos;
  return nullptr;
}

const Partition* Cluster::default_partition() const {
  auto found = std::ranges::find_if(*partitions, &Partition::is_default);
  return found == (*partitions).end() ? nullptr : &*found;
}

std::vector<const Job*> Cluster::components(const Job& job) const {
  if (!job.is_het()) return {&job};
  std::vector<const Job*> found;
  for (std::uint32_t id : job.het_jobs().ids())
    if (const Job* component = jobs.find(JobId{id})) found.push_back(component);
  return found;
}

const Job* Cluster::find_task(JobId array, std::uint32_t task) const {
  const Job* record = jobs.find(array);
  if (!record || record->array_id != array) return nullptr;
  if (record->task_id == task || record->waiting_tasks.contains(task)) return record;
  const TaskIndex* index = task_index(array);
  const JobId* job = index ? index->find(TaskId{task}) : nullptr;
  return job ? jobs.find(*job) : nullptr;
}

const TaskIndex* Cluster::task_index(JobId array) const {
  const Job* record = jobs.find(array);
  const JobOutcome* outcome = record ? nullptr : outcomes.find(array);
  const Cow<TaskIndex>* index = record    ? &record->task_index
                                : outcome ? &outcome->task_index
                                          : nullptr;
  return index && *index ? &**index : nullptr;
}

void Cluster::index_task(JobId array, std::uint32_t task, JobId job) {
  auto put = [&](Cow<TaskIndex>& index) {
    if (!index) index = Cow(TaskIndex{});
    index.edit().put(TaskId{task}, job);
  };
  if (jobs.contains(array))
    put(jobs.edit(array).task_index);
  else if (outcomes.contains(array))
    put(outcomes.edit(array).task_index);
}

void Cluster::unindex_task(JobId array, std::uint32_t task) {
  const TaskIndex* index = task_index(array);
  if (!index || !index->contains(TaskId{task})) return;
  auto erase = [&](Cow<TaskIndex>& from) {
    from.edit().erase(TaskId{task});
    if (from->empty()) from = {};
  };
  erase(jobs.contains(array) ? jobs.edit(array).task_index : outcomes.edit(array).task_index);
}

}  // namespace muster
