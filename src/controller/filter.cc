#include "controller/filter.h"

#include <algorithm>

#include "base/strings.h"

namespace muster::controller {

namespace {

template <class List, class Value>
bool lists(const List& list, const Value& value) {
  return list.empty() || std::find(list.begin(), list.end(), value) != list.end();
}

// Names separated by commas: one of them will do.
bool lists_any(const std::vector<Text>& list, const Text& names) {
  if (list.empty()) return true;
  return std::ranges::any_of(split(names, ','),
                             [&](std::string_view name) { return lists(list, Text(name)); });
}

// "matlab:2,fluent": by name, whatever the count.
bool needs_license(const JobSpec& spec, const std::vector<Text>& names) {
  if (names.empty()) return true;
  for (std::string_view list : split(spec.licenses, ';'))
    for (std::string_view license : split(list, ','))
      if (lists(names, Text(license.substr(0, license.find(':'))))) return true;
  return false;
}

bool matches_ref(const Job& job, const wire::JobRef& ref) {
  if (ref.component) return job.het_id == ref.job && job.het_offset == *ref.component;
  if (job.id != ref.job && job.array_id != ref.job && job.het_id != ref.job) return false;
  if (ref.tasks.empty()) return true;
  if (job.is_array_record()) return job.waiting_tasks.intersects(ref.tasks);
  return job.task_id != kNoTask && ref.tasks.contains(job.task_id);
}

bool matches_state(const Job& job, const wire::JobFilter& filter) {
  if (filter.all_states || (filter.states.empty() && !filter.completing)) return true;
  if (job.completing()) {
    if (filter.completing) return true;
  }
  return std::find(filter.states.begin(), filter.states.end(), job.state) != filter.states.end();
}

bool uses_node(const Cluster& cluster, const Job& job, const std::vector<Text>& names) {
  if (names.empty()) return true;
  for (const NodeShare& share : job.allocation)
    if (const Node* node = cluster.nodes.find(share.node))
      if (lists(names, node->config.name)) return true;
  return false;
}

}  // namespace

bool matches(const Cluster& cluster, const Job& job, const wire::JobFilter& filter) {
  const JobSpec& spec = *job.spec;
  if (!filter.jobs.empty() && std::none_of(filter.jobs.begin(), filter.jobs.end(),
                                           [&](const auto& ref) { return matches_ref(job, ref); }))
    return false;
  if (!(filter.users.empty() && filter.uids.empty())) {
    bool by_name = !filter.users.empty() && lists(filter.users, spec.user_name);
    bool by_uid = !filter.uids.empty() && lists(filter.uids, spec.uid);
    if (!by_name && !by_uid) return false;
  }
  return matches_state(job, filter) && lists(filter.accounts, job.account) &&
         lists(filter.names, spec.name) && lists_any(filter.partitions, job.partition) &&
         lists(filter.qos, job.qos) && lists_any(filter.reservations, job.shown_reservation()) &&
         needs_license(spec, filter.licenses) && uses_node(cluster, job, filter.nodes);
}

}  // namespace muster::controller
