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
  known_ = recent_ = {};
  gone_seen_ = 0;
  std::vector<Place>& places = known_.places;
  each_pending_from(cluster, JobId{0},
                    [&](const Job& job) { add(cluster, job, priorities, places); });
  if (!std::ranges::is_sorted(places, comes_before)) std::ranges::stable_sort(places, comes_before);
  next_ = cluster.next_job_id;
  made_ = true;
}

void Queue::add_new_jobs(const Cluster& cluster, const Priorities& priorities) {
  if (next_ == cluster.next_job_id) return;
  std::vector<Place>& places = recent_.places;
  const auto before = static_cast<std::ptrdiff_t>(places.size());
  each_pending_from(cluster, next_, [&](const Job& job) { add(cluster, job, priorities, places); });
  const auto first = places.begin() + static_cast<std::ptrdiff_t>(recent_.first);
  const auto middle = places.begin() + before;
  std::ranges::stable_sort(middle, places.end(), comes_before);
  // Mostly those who come later stand behind.
  if (middle != first && middle != places.end() && comes_before(*middle, *(middle - 1)))
    std::ranges::inplace_merge(first, middle, places.end(), comes_before);
  next_ = cluster.next_job_id;
}

// Those in front at once; those between others when they have become many.
void Queue::forget_gone(const Cluster& cluster) {
  auto has_gone = [&](const Place& place) { return !cluster.pending.contains(place.job.value); };
  constexpr std::size_t kFew = 64;
  const bool are_many = gone_seen_ > kFew && gone_seen_ > (known_.size() + recent_.size()) / 4;
  for (Line* line : {&known_, &recent_}) {
    while (line->size() > 0 && has_gone(line->places[line->first])) ++line->first;
    if (are_many || line->first > line->places.size() / 2) {
      std::erase_if(line->places, has_gone);
      line->first = 0;
    }
  }
  gone_seen_ = 0;
}

}  // namespace muster::sched
