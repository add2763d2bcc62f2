#include "sched/queue.h"

#include <algorithm>

#include "base/text/strings.h"
#include "sched/priority/priority.h"

namespace muster::sched {

namespace {

std::uint32_t place_of(const Cluster& cluster, std::string_view partition) {
  const std::vector<Partition>& all = *cluster.partitions;
  auto at = std::ranges::find_if(all, [&](const Partition& p) { return p.name == partition; });
  return at == all.end() ? Queue::kNoPartition : static_cast<std::uint32_t>(at - all.begin());
}

}  // namespace

// One place for each partition that a job may use.
void Queue::add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                std::vector<Place>& places) {
  auto add_in = [&](std::string_view name) {
    const std::uint32_t place = place_of(cluster, name);
    const Partition* partition = place == kNoPartition ? nullptr : &(*cluster.partitions)[place];
    places.push_back(
        {partition ? partition->priority_tier : 0, priorities.of(job, partition), job.id, place});
  };
  const std::string_view names = job.partition;
  if (!names.contains(',')) return add_in(names);
  for (std::string_view name : split(names, ',')) add_in(name);
}

void Queue::follow(const Cluster& cluster, const Priorities& priorities, Time now, bool in_order,
                   bool all_limits) {
  const std::vector<JobId> came = look_at_changes(cluster, now, in_order || all_limits);
  if (in_order)
    put_in_order(cluster, priorities);
  else
    add_to_recent(cluster, priorities, came);
}

// Those who may start now and have no place yet, ascending.
std::vector<JobId> Queue::look_at_changes(const Cluster& cluster, Time now, bool all_limits) {
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
             has_place_.insert(id.value).second)
      came.push_back(id);
  }
  return came;
}

void Queue::put_in_order(const Cluster& cluster, const Priorities& priorities) {
  std::vector<JobId> jobs;
  std::erase_if(has_place_, [&](std::uint32_t id) { return has_gone(cluster, JobId{id}); });
  jobs.reserve(has_place_.size());
  for (std::uint32_t id : has_place_) jobs.emplace_back(id);
  std::ranges::sort(jobs);
  known_ = recent_ = {};
  gone_seen_ = 0;
  for (JobId id : jobs) add(cluster, cluster.jobs.at(id), priorities, known_.places);
  if (!std::ranges::is_sorted(known_.places, comes_before))
    std::ranges::stable_sort(known_.places, comes_before);
}

void Queue::add_to_recent(const Cluster& cluster, const Priorities& priorities,
                          const std::vector<JobId>& jobs) {
  if (jobs.empty()) return;
  std::vector<Place>& places = recent_.places;
  const auto before = static_cast<std::ptrdiff_t>(places.size());
  for (JobId id : jobs) add(cluster, cluster.jobs.at(id), priorities, places);
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(recent_.first);
  const auto middle = places.begin() + before;
  std::ranges::stable_sort(middle, places.end(), comes_before);
  // Mostly those who come later stand behind.
  if (middle != first && middle != places.end() && comes_before(*middle, *(middle - 1)))
    std::ranges::inplace_merge(first, middle, places.end(), comes_before);
}

// Those in front at once; those between others, and deferred ones, when they have become many. A
// job has all its places in one line.
void Queue::forget_gone(const Cluster& cluster) {
  constexpr std::size_t kFew = 64;
  const bool are_many = gone_seen_ > kFew && gone_seen_ > (known_.size() + recent_.size()) / 4;
  for (Line* line : {&known_, &recent_}) {
    for (; line->size() > 0; ++line->first) {
      const std::uint32_t job = line->places[line->first].job.value;
      if (cluster.pending.contains(job)) break;  // one that is deferred may come back
      has_place_.erase(job);
    }
    if (!are_many && line->first <= line->places.size() / 2) continue;
    std::erase_if(line->places, [&](const Place& place) {
      if (!has_gone(cluster, place.job)) return false;
      has_place_.erase(place.job.value);
      return true;
    });
    line->first = 0;
  }
  gone_seen_ = 0;
}

}  // namespace muster::sched
