#include "sched/queue.h"

#include <algorithm>

#include "base/strings.h"
#include "sched/priority.h"

namespace muster::sched {

namespace {

std::uint32_t place_of(const Cluster& cluster, std::string_view partition) {
  const std::vector<Partition>& all = *cluster.partitions;
  auto at = std::ranges::find_if(all, [&](const Partition& p) { return p.name == partition; });
  return at == all.end() ? Queue::kNoPartition : static_cast<std::uint32_t>(at - all.begin());
}

template <class Visit>
void each_pending_from(const Cluster& cluster, JobId first, Visit&& visit) {
  for (const IdSet::Range& range : cluster.pending.ranges()) {
    if (range.last < first.value) continue;
    for (std::uint64_t id = std::max(range.first, first.value); id <= range.last; ++id)
      visit(cluster.jobs.at(JobId{static_cast<std::uint32_t>(id)}));
  }
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

void Queue::make_anew(const Cluster& cluster, const Priorities& priorities) {
  places_.clear();
  recent_.clear();
  first_ = 0;
  each_pending_from(cluster, JobId{0},
                    [&](const Job& job) { add(cluster, job, priorities, places_); });
  if (!std::ranges::is_sorted(places_, comes_before))
    std::ranges::stable_sort(places_, comes_before);
  next_ = cluster.next_job_id;
  made_ = true;
}

void Queue::add_new_jobs(const Cluster& cluster, const Priorities& priorities) {
  if (next_ == cluster.next_job_id) return;
  const auto before = static_cast<std::ptrdiff_t>(recent_.size());
  each_pending_from(cluster, next_,
                    [&](const Job& job) { add(cluster, job, priorities, recent_); });
  const auto middle = recent_.begin() + before;
  std::ranges::stable_sort(middle, recent_.end(), comes_before);
  std::ranges::inplace_merge(recent_.begin(), middle, recent_.end(), comes_before);
  next_ = cluster.next_job_id;
}

void Queue::skip_gone(const Cluster& cluster) {
  while (first_ < places_.size() && !cluster.pending.contains(places_[first_].job.value)) ++first_;
}

}  // namespace muster::sched
