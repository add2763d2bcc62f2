// WatchList: the few jobs that change merely because time passes, so that a tick need not look at
// all jobs. It follows the events, and can be rebuilt from the state.
#pragma once

#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

class WatchList {
 public:
  void make_anew(const Cluster& cluster);
  void follow(const Cluster& after, const Event& event);

  // Pending jobs with a deadline.
  const std::set<JobId>& with_deadline() const { return with_deadline_; }
  // Whether a pending job depends on this job or array.
  bool is_needed(JobId job) const { return job && needed_.contains(job); }
  // Jobs that other jobs depended on, and none does any more; each is returned once.
  std::vector<JobId> take_unneeded() { return std::exchange(unneeded_, {}); }
  // Jobs that ended before this time. Each is returned once, unless look_again() brings it back.
  std::vector<JobId> take_ended_before(Time time);
  void look_again(JobId job, Time ended) { ended_.emplace(ended, job); }

 private:
  void note(const Job& job);
  void set_dependency(JobId job, const Dependency& dependency);
  void count(const Dependency& dependency);
  void uncount(const Dependency& dependency);

  std::set<JobId> with_deadline_;
  std::unordered_map<JobId, Dependency> dependencies_;  // of pending jobs
  std::unordered_map<JobId, std::uint32_t> needed_;     // by the number of conditions
  std::vector<JobId> unneeded_;
  std::set<std::pair<Time, JobId>> ended_;
};

}  // namespace muster::controller
