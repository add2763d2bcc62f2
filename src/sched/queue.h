// Queue: the waiting jobs that may start, in the order in which they are considered; the others are
// deferred. It may be kept from one plan to the next: then only jobs whose records have changed
// since are looked at, and those whose time has come. Whatever else changes the order is told by
// whoever keeps it (Budget::order_changed); priorities that grow with time count as they were when
// the queue was last put in order.
#pragma once

#include <cstdint>
#include <unordered_set>
#include <vector>

#include "model/cluster.h"
#include "sched/limits/deferred.h"

namespace muster::sched {

class Priorities;

class Queue {
 public:
  struct Place {
    std::uint32_t tier = 0, priority = 0;
    JobId job;
    std::uint32_t partition = 0;  // its place in the cluster's list; kNoPartition = unknown
  };
  static constexpr std::uint32_t kNoPartition = 0xffffffffu;

  // From here on it speaks of this state of the cluster. `in_order`: everybody's place is found
  // anew. `all_limits`: jobs that have met a limit are looked at again, whether anything has
  // changed for them or not.
  void follow(const Cluster& cluster, const Priorities& priorities, Time now, bool in_order,
              bool all_limits = false);
  const Deferred& deferred() const { return deferred_; }
  // A job that may start but for this limit: see Deferred::defer.
  void defer(const Job& job, const UseKey& full) { deferred_.defer(job.id, full); }

  // Calls visit(place) for the places of jobs that may start, in order, until it returns false.
  template <class Visit>
  void each(const Cluster& cluster, Visit&& visit) {
    forget_gone(cluster);
    std::size_t known = known_.first, recent = recent_.first;
    while (known < known_.places.size() || recent < recent_.places.size()) {
      const bool is_recent = known == known_.places.size() ||
                             (recent < recent_.places.size() &&
                              comes_before(recent_.places[recent], known_.places[known]));
      const Place& place = is_recent ? recent_.places[recent++] : known_.places[known++];
      if (has_gone(cluster, place.job))
        ++gone_seen_;
      else if (!visit(place))
        return;
    }
  }

 private:
  static bool comes_before(const Place& a, const Place& b) {
    if (a.tier != b.tier) return a.tier > b.tier;
    return a.priority != b.priority ? a.priority > b.priority : a.job < b.job;
  }
  struct Line {
    std::vector<Place> places;  // in order
    std::size_t first = 0;      // those before it have gone
    std::size_t size() const { return places.size() - first; }
  };
  bool has_gone(const Cluster& cluster, JobId job) const {
    return !cluster.pending.contains(job.value) || deferred_.contains(job);
  }
  std::vector<JobId> look_at_changes(const Cluster& cluster, Time now, bool all_limits);
  void put_in_order(const Cluster& cluster, const Priorities& priorities);
  void add_to_recent(const Cluster& cluster, const Priorities& priorities,
                     const std::vector<JobId>& jobs);
  void forget_gone(const Cluster& cluster);
  static void add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                  std::vector<Place>& places);

  Table<JobId, Job> jobs_;                       // as they were seen last
  Line known_;                                   // as of when it was put in order
  Line recent_;                                  // of jobs that came since
  std::unordered_set<std::uint32_t> has_place_;  // in one of them, whether it has gone or not
  Deferred deferred_;
  std::size_t gone_seen_ = 0;  // between others, the last time
};

}  // namespace muster::sched
