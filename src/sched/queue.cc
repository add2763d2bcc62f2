// Keeps the queue in order as jobs come, change and go.
#include "sched/queue.h"

#include <algorithm>

#include "sched/priority/priority.h"

namespace muster::sched {

namespace {

std::uint32_t place_of(const Cluster& cluster, std::string_view partition) {
  const std::vector<Partition>& all = *cluster.partitions;
  auto at = std::ranges::find_if(all, [&](const Partition& p) { return p.name == partition; });
  return at == all.end() ? Queue::kNoPartition : static_cast<std::uint32_t>(at - all.begin());
}

}  // namespace

// Adds one entry for each partition that the job may use.
void Queue::add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                std::vector<Entry>& entries) {
  auto add_in = [&](std::string_view name) {
    const std::uint32_t place = place_of(cluster, name);
    const Partition* partition = place == kNoPartition ? nullptr : &(*cluster.partitions)[place];
    entries.push_back({partition ? partition->priority_tier : 0,
                       priorities.priority_of(job, partition), job.id, place});
  };
  if (job.partitions.empty()) return add_in({});
  for (const Text& name : job.partitions.parsed()) add_in(name);
}

void Queue::update_to(const Cluster& cluster, const Priorities& priorities, Time now, bool in_order,
                      bool all_limits) {
  const std::vector<JobId> came = read_changes(cluster, now, in_order || all_limits);
  if (in_order)
    sort_all(cluster, priorities);
  else
    add_recent(cluster, priorities, came);
}

// Jobs that may start now and have no entry yet, ascending.
std::vector<JobId> Queue::read_changes(const Cluster& cluster, Time now, bool all_limits) {
  std::vector<JobId> again, came;
  auto look_again = [&](JobId id) { again.push_back(id); };
  deferred_.when_due(now, look_again);
  if (all_limits) deferred_.when_limits_change(look_again);
  cluster.jobs.each_change_since(jobs_, [&](const Job* was, const Job* is) {
    look_again((is ? is : was)->id);
    deferred_.when_changed(cluster, was, is, look_again);
  });
  jobs_ = cluster.jobs;
  std::ranges::sort(again);
  const auto twice = std::ranges::unique(again);
  again.erase(twice.begin(), twice.end());
  for (JobId id : again) {
    if (!cluster.pending.contains(id.value))
      deferred_.forget(id);
    else if (!deferred_.look_at(cluster, cluster.jobs.at(id), now) &&
             listed_.insert(id.value).second)
      came.push_back(id);
  }
  return came;
}

void Queue::sort_all(const Cluster& cluster, const Priorities& priorities) {
  std::vector<JobId> jobs;
  std::erase_if(listed_, [&](std::uint32_t id) { return has_gone(cluster, JobId{id}); });
  jobs.reserve(listed_.size());
  for (std::uint32_t id : listed_) jobs.emplace_back(id);
  std::ranges::sort(jobs);
  known_ = recent_ = {};
  gone_seen_ = 0;
  for (JobId id : jobs) add(cluster, cluster.jobs.at(id), priorities, known_.entries);
  if (!std::ranges::is_sorted(known_.entries, comes_before))
    std::ranges::stable_sort(known_.entries, comes_before);
}

void Queue::add_recent(const Cluster& cluster, const Priorities& priorities,
                       const std::vector<JobId>& jobs) {
  if (jobs.empty()) return;
  std::vector<Entry>& entries = recent_.entries;
  const auto before = static_cast<std::ptrdiff_t>(entries.size());
  for (JobId id : jobs) add(cluster, cluster.jobs.at(id), priorities, entries);
  const auto first = entries.begin() + static_cast<std::ptrdiff_t>(recent_.first);
  const auto middle = entries.begin() + before;
  std::ranges::stable_sort(middle, entries.end(), comes_before);
  // Jobs that come later mostly belong behind the others; then no merge is needed.
  if (middle != first && middle != entries.end() && comes_before(*middle, *(middle - 1)))
    std::ranges::inplace_merge(first, middle, entries.end(), comes_before);
}

// Drops entries of jobs that are gone: at the front at once, elsewhere only when there are many.
// All entries of one job are in the same list.
void Queue::forget_gone(const Cluster& cluster) {
  constexpr std::size_t kFew = 64;
  const bool are_many = gone_seen_ > kFew && gone_seen_ > (known_.size() + recent_.size()) / 4;
  for (EntryList* list : {&known_, &recent_}) {
    for (; list->size() > 0; ++list->first) {
      const std::uint32_t job = list->entries[list->first].job.value;
      if (cluster.pending.contains(job)) break;  // a deferred job may come back
      listed_.erase(job);
    }
    if (!are_many && list->first <= list->entries.size() / 2) continue;
    std::erase_if(list->entries, [&](const Entry& entry) {
      if (!has_gone(cluster, entry.job)) return false;
      listed_.erase(entry.job.value);
      return true;
    });
    list->first = 0;
  }
  gone_seen_ = 0;
}

}  // namespace muster::sched
