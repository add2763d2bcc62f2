// WatchList: the few jobs that time alone can change, so that a tick need not look at all of them.
// It follows the events and can be made anew from the state.
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

  // Jobs that wait and have a deadline.
  const std::set<JobId>& with_deadline() const { return with_deadline_; }
  // Whether a job that waits depends on this one (or array).
  bool is_needed(JobId job) const { return job && needed_.contains(job); }
  // Jobs that other jobs depended on and none does any more; they are named once.
  std::vector<JobId> take_unneeded() { return std::exchange(unneeded_, {}); }
  // Jobs that ended before this time. They are not named again unless look_again() brings them
  // back.
  std::vector<JobId> take_ended_before(Time time);
  void look_again(JobId job, Time ended) { ended_.emplace(ended, job); }

 private:
  void note(const Job& job);
  void set_dependency(JobId job, const Dependency& dependency);
  void count(const Dependency& dependency);
  void uncount(const Dependency& dependency);

  std::set<JobId> with_deadline_;
  std::unordered_map<JobId, Dependency> dependencies_;  // of jobs that wait
  std::unordered_map<JobId, std::uint32_t> needed_;     // by so many conditions
  std::vector<JobId> unneeded_;
  std::set<std::pair<Time, JobId>> ended_;
};

}  // namespace muster::controller
