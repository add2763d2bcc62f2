// Queue: the waiting jobs in the order in which they are considered. It may be kept from one plan
// to the next: then it need not look at every job again, only at those that came since. Whatever
// else changes the order is told by whoever keeps it (Budget::order_changed); priorities that grow
// with time count as they were when the queue was last made anew.
#pragma once

#include <cstdint>
#include <vector>

#include "model/cluster.h"

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

  void make_anew(const Cluster& cluster, const Priorities& priorities);
  void add_new_jobs(const Cluster& cluster, const Priorities& priorities);
  bool is_made() const { return made_; }

  // Calls visit(place) for the places of jobs that wait, in order, until it returns false.
  template <class Visit>
  void each(const Cluster& cluster, Visit&& visit) {
    forget_gone(cluster);
    std::size_t known = known_.first, recent = recent_.first;
    while (known < known_.places.size() || recent < recent_.places.size()) {
      const bool is_recent = known == known_.places.size() ||
                             (recent < recent_.places.size() &&
                              comes_before(recent_.places[recent], known_.places[known]));
      const Place& place = is_recent ? recent_.places[recent++] : known_.places[known++];
      if (!cluster.pending.contains(place.job.value))
        ++gone_seen_;
      else if (!visit(place))
        return;
    }
  }

 private:
  static bool comes_before(const Place& a, const Place& b) {
    return a.tier != b.tier ? a.tier > b.tier : a.priority > b.priority;
  }
  struct Line {
    std::vector<Place> places;  // in order
    std::size_t first = 0;      // those before it have gone
    std::size_t size() const { return places.size() - first; }
  };
  void forget_gone(const Cluster& cluster);
  static void add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                  std::vector<Place>& places);

  Line known_;                 // as of when it was made
  Line recent_;                // of jobs that came since
  std::size_t gone_seen_ = 0;  // between others, the last time
  JobId next_;                 // the first id that has not been seen
  bool made_ = false;
};

}  // namespace muster::sched
