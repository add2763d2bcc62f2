// Lookups by name, array tasks, components and lists of partitions.
#include "model/cluster.h"

#include <algorithm>

#include "base/check.h"
#include "base/text/hostlist.h"
#include "base/text/strings.h"

namespace muster {

const Node* Cluster::find_node(std::string_view name) const {
  auto found = (*node_ids).find(Text(name));
  return found == (*node_ids).end() ? nullptr : nodes.find(found->second);
}

Result<std::vector<NodeId>> Cluster::nodes_named(std::string_view hostlist) const {
  std::vector<NodeId> ids;
  if (hostlist.empty()) return ids;
  // With -m arbitrary the list names a node once for each of its tasks.
  const std::uint64_t most =
      nodes.size() * std::max<std::uint64_t>(1, settings().request_limits.tasks_per_node);
  bool known = true;
  auto parsed = each_host(hostlist, [&](std::string_view name) {
    const Node* node = ids.size() < most ? find_node(name) : nullptr;
    known = node != nullptr;
    if (known) ids.push_back(node->id);
    return known;
  });
  if (!parsed || !known) return fail(ErrorCode::invalid_node_name);
  return ids;
}

const Partition* Cluster::find_partition(std::string_view name) const {
  auto found =
      std::ranges::find_if(*partitions, [&](const Partition& p) { return p.name == name; });
  return found == (*partitions).end() ? nullptr : &*found;
}

const Partition* Cluster::partition_of(const Job& job) const {
  return find_partition(first_of(job.partitions));
}

const Reservation* Cluster::find_reservation(std::string_view name) const {
  for (const Reservation& r : *reservations)
    if (r.name == name) return &r;
  return nullptr;
}

namespace {

template <class Row>
const Row* find_sorted(const std::vector<Row>& rows, std::string_view name, Text Row::* key) {
  auto at = std::ranges::lower_bound(rows, name, std::less<>(),
                                     [&](const Row& row) { return (row.*key).view(); });
  return at != rows.end() && (*at).*key == name ? &*at : nullptr;
}

}  // namespace

const Qos* Cluster::find_qos(std::string_view name) const {
  for (const Qos& qos : (*config).qos)
    if (qos.name == name) return &qos;
  return find_sorted(*qos, name, &Qos::name);
}

bool Cluster::enforces_limits_of(const Qos& qos) const {
  return settings().enforce_limits ||
         std::ranges::any_of((*config).qos, [&](const Qos& own) { return own.name == qos.name; });
}

std::vector<const Qos*> Cluster::all_qos() const {
  std::vector<const Qos*> all;
  for (const Qos& defined : (*config).qos) all.push_back(&defined);
  for (const Qos& known : *qos)
    if (find_qos(known.name) == &known) all.push_back(&known);
  return all;
}

const UserAccess* Cluster::find_user(std::string_view name) const {
  return find_sorted(*users, name, &UserAccess::user);
}

bool Cluster::coordinates(std::string_view user, const Text& account) const {
  if ((*coordinators).empty() || user.empty()) return false;
  auto names = [&](const Text& of) {
    const Coordinators* known = find_sorted(*coordinators, of, &Coordinators::account);
    return known && std::ranges::find(known->users, Text(user)) != known->users.end();
  };
  if (names(account)) return true;
  const Association* own =
      find_association(*associations, {.account = account, .user = {}, .partition = {}});
  if (!own) return false;
  for (const Association* above : line_of(*associations, *own))
    if (names(above->key.account)) return true;
  return false;
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
  const Cow<TaskIndex>* index = record    ? &record->array->task_index
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
    put(jobs.edit(array).array.edit().task_index);
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
  erase(jobs.contains(array) ? jobs.edit(array).array.edit().task_index
                             : outcomes.edit(array).task_index);
}

JobId ArrayTasks::record_of(std::uint32_t task) const {
  for (const auto& [tasks, id] : waiting)
    if (tasks.contains(task)) return id;
  auto found = std::ranges::lower_bound(own, task, {}, &std::pair<std::uint32_t, JobId>::first);
  CHECK(found != own.end() && found->first == task);
  return found->second;
}

ArrayTasks Cluster::tasks_of(JobId array) const {
  ArrayTasks tasks;
  auto add = [&](const Job& job) {
    if (job.array_id != array) return;
    if (job.task_id != kNoTask) tasks.own.emplace_back(job.task_id, job.id);
    if (!job.waiting_tasks.empty()) tasks.waiting.emplace_back(job.waiting_tasks, job.id);
  };
  const Job* record = jobs.find(array);
  if (!record || record->array_id != array) return tasks;
  add(*record);
  record->array->task_jobs.each([&](std::uint32_t id) {
    if (const Job* job = jobs.find(JobId{id})) add(*job);
  });
  std::ranges::sort(tasks.own);
  for (const auto& [task, id] : tasks.own) tasks.all.insert(task);
  for (const auto& [waiting, id] : tasks.waiting) tasks.all.merge(waiting);
  return tasks;
}

Result<std::vector<const Partition*>> named_partitions(const Cluster& cluster,
                                                       const NameList& names) {
  std::vector<const Partition*> found;
  if (names.empty()) {
    const Partition* partition = cluster.default_partition();
    if (!partition) return fail(ErrorCode::no_default_partition);
    return std::vector{partition};
  }
  for (const Text& name : names.parsed()) {
    const Partition* partition = cluster.find_partition(name);
    if (!partition) return fail(ErrorCode::invalid_partition, name.str());
    if (partition->is_closed())
      if (const Partition* other = cluster.find_partition(partition->alternate)) partition = other;
    if (std::find(found.begin(), found.end(), partition) == found.end()) found.push_back(partition);
  }
  if (found.empty()) return fail(ErrorCode::invalid_partition, "(null)");
  // If some partition still takes jobs, leave out those that do not.
  if (!std::ranges::all_of(found, [](const Partition* p) { return p->is_closed(); }))
    std::erase_if(found, [](const Partition* p) { return p->is_closed(); });
  return found;
}

}  // namespace muster
