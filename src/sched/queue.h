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
    skip_gone(cluster);
    auto known = places_.begin() + static_cast<std::ptrdiff_t>(first_);
    auto recent = recent_.begin();
    while (known != places_.end() || recent != recent_.end()) {
      const bool is_recent =
          known == places_.end() || (recent != recent_.end() && comes_before(*recent, *known));
      const Place& place = is_recent ? *recent++ : *known++;
      if (cluster.pending.contains(place.job.value) && !visit(place)) return;
    }
  }

 private:
  static bool comes_before(const Place& a, const Place& b) {
    return a.tier != b.tier ? a.tier > b.tier : a.priority > b.priority;
  }
  void skip_gone(const Cluster& cluster);
  static void add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                  std::vector<Place>& places);

  std::vector<Place> places_;  // in order, as of when they were made
  std::size_t first_ = 0;      // those before it have gone
  std::vector<Place> recent_;  // of jobs that came since, in order
  JobId next_;                 // the first id that has not been seen
  bool made_ = false;
};

}  // namespace muster::sched
