// Queue: the waiting jobs that may start, in the order in which they are considered. All other
// waiting jobs are deferred. A queue can be kept from one plan to the next: an update then examines
// only jobs whose records have changed or whose time has come. Its owner says when something else
// has changed the order (Budget::order_changed). Priorities that grow with time count as they were
// when the queue was last sorted.
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
  struct Entry {
    std::uint32_t tier = 0, priority = 0;
    JobId job;
    std::uint32_t partition = 0;  // index in the cluster's list; kNoPartition = unknown
  };
  static constexpr std::uint32_t kNoPartition = 0xffffffffu;

  // Brings the queue up to date with this state of the cluster. `in_order`: sorts all entries
  // again. `all_limits`: also examines jobs that have met a limit, whether anything has changed or
  // not.
  void update_to(const Cluster& cluster, const Priorities& priorities, Time now, bool in_order,
                 bool all_limits = false);
  const Deferred& deferred() const { return deferred_; }
  std::size_t size() const { return known_.size() + recent_.size(); }  // some may be gone
  // Sets aside a job that only this limit keeps from starting: see Deferred::defer.
  void defer(const Job& job, const LimitScopeKey& full, Text words) {
    deferred_.defer(job.id, full, std::move(words));
  }

  // Calls visit(entry) for the entries of jobs that may start, in order, until it returns false.
  template <class Visit>
  void visit_in_order(const Cluster& cluster, Visit&& visit) {
    forget_gone(cluster);
    std::size_t known = known_.first, recent = recent_.first;
    while (known < known_.entries.size() || recent < recent_.entries.size()) {
      const bool is_recent = known == known_.entries.size() ||
                             (recent < recent_.entries.size() &&
                              comes_before(recent_.entries[recent], known_.entries[known]));
      const Entry& entry = is_recent ? recent_.entries[recent++] : known_.entries[known++];
      if (has_gone(cluster, entry.job))
        ++gone_seen_;
      else if (!visit(entry))
        return;
    }
  }

 private:
  static bool comes_before(const Entry& a, const Entry& b) {
    if (a.tier != b.tier) return a.tier > b.tier;
    return a.priority != b.priority ? a.priority > b.priority : a.job < b.job;
  }
  struct EntryList {
    std::vector<Entry> entries;  // in order
    std::size_t first = 0;       // the entries before it are gone
    std::size_t size() const { return entries.size() - first; }
  };
  bool has_gone(const Cluster& cluster, JobId job) const {
    return !cluster.pending.contains(job.value) || deferred_.contains(job);
  }
  std::vector<JobId> read_changes(const Cluster& cluster, Time now, bool all_limits);
  void sort_all(const Cluster& cluster, const Priorities& priorities);
  void add_recent(const Cluster& cluster, const Priorities& priorities,
                  const std::vector<JobId>& jobs);
  void forget_gone(const Cluster& cluster);
  static void add(const Cluster& cluster, const Job& job, const Priorities& priorities,
                  std::vector<Entry>& entries);

  Table<JobId, Job> jobs_;                    // as of the last update
  EntryList known_;                           // as of the last sorting
  EntryList recent_;                          // jobs that came since then
  std::unordered_set<std::uint32_t> listed_;  // jobs with an entry in either list, even if gone
  Deferred deferred_;
  std::size_t gone_seen_ = 0;  // entries of gone jobs that the last visit passed
};

}  // namespace muster::sched
