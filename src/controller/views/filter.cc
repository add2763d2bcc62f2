// Compares jobs with a filter.
#include "controller/views/filter.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/text/strings.h"

namespace muster::controller {

namespace {

// Searches a sorted list.
template <class List, class Value>
bool lists(const List& list, const Value& value) {
  return list.empty() || std::ranges::binary_search(list, value);
}

// Whether any of the names, separated by commas, is in the list.
bool lists_any(const std::vector<Text>& list, const Text& names) {
  if (list.empty()) return true;
  return std::ranges::any_of(split(names, ','),
                             [&](std::string_view name) { return lists(list, Text(name)); });
}

// "matlab:2,fluent": compares names only, not counts.
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
  for (const NodeShare& share : job.run->allocation)
    if (const Node* node = cluster.nodes.find(share.node))
      if (lists(names, node->config.name)) return true;
  return false;
}

}  // namespace

Result<void> check_filter(const wire::JobFilter& f) {
  constexpr std::size_t kMost = 100000;
  const std::size_t entries = f.jobs.size() + f.users.size() + f.accounts.size() + f.names.size() +
                              f.partitions.size() + f.qos.size() + f.nodes.size() +
                              f.reservations.size() + f.licenses.size() + f.uids.size() +
                              f.states.size();
  if (entries > kMost)
    return fail(ErrorCode::too_large,
                fmt::format("{} entries to select jobs by, more than {}", entries, kMost));
  return {};
}

Result<void> check_query(const wire::Request& query) {
  if (auto* jobs = std::get_if<wire::JobsRequest>(&query)) return check_filter(jobs->filter);
  return {};
}

JobMatcher::JobMatcher(wire::JobFilter filter) : filter_(std::move(filter)) {
  std::ranges::sort(filter_.jobs, {}, &wire::JobRef::job);
  for (auto* list : {&filter_.users, &filter_.accounts, &filter_.names, &filter_.partitions,
                     &filter_.qos, &filter_.nodes, &filter_.reservations, &filter_.licenses})
    std::ranges::sort(*list);
  std::ranges::sort(filter_.uids);
}

bool JobMatcher::names(const Job& job) const {
  for (const JobId id : {job.id, job.array_id, job.het_id}) {
    auto refs = std::ranges::equal_range(filter_.jobs, id, {}, &wire::JobRef::job);
    if (std::ranges::any_of(refs, [&](const auto& ref) { return matches_ref(job, ref); }))
      return true;
  }
  return false;
}

bool JobMatcher::matches(const Cluster& cluster, const Job& job) const {
  const JobSpec& spec = *job.spec;
  if (!filter_.jobs.empty() && !names(job)) return false;
  if (!(filter_.users.empty() && filter_.uids.empty())) {
    bool by_name = !filter_.users.empty() && lists(filter_.users, spec.user_name);
    bool by_uid = !filter_.uids.empty() && lists(filter_.uids, spec.uid);
    if (!by_name && !by_uid) return false;
  }
  return matches_state(job, filter_) && lists(filter_.accounts, job.account) &&
         lists(filter_.names, job.own.name) && lists_any(filter_.partitions, job.partition) &&
         lists(filter_.qos, job.qos) && lists_any(filter_.reservations, job.shown_reservation()) &&
         needs_license(spec, filter_.licenses) && uses_node(cluster, job, filter_.nodes);
}

bool matches(const Cluster& cluster, const Job& job, const wire::JobFilter& filter) {
  return JobMatcher(filter).matches(cluster, job);
}

}  // namespace muster::controller
