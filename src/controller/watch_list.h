// WatchList: the few jobs that time alone can change, so that a tick need not look at all of them.
// It follows the events and can be made anew from the state; it may name jobs that need no watching
// any more.
#pragma once

#include <set>
#include <utility>
#include <vector>

#include "model/cluster.h"
#include "state/event.h"

namespace muster::controller {

class WatchList {
 public:
  void make_anew(const Cluster& cluster);
  void follow(const Cluster& after, const Event& event);

  // Jobs that wait and have a deadline, or depend on others.
  const std::set<JobId>& conditional(const Cluster& cluster);
  // Jobs that ended so long ago; they are not named again, unless they are put back.
  std::vector<JobId> take_ended_before(Time time);
  void look_again(JobId job, Time ended) { ended_.emplace(ended, job); }

 private:
  void note(const Job& job);

  std::set<JobId> conditional_;
  std::set<std::pair<Time, JobId>> ended_;
};

}  // namespace muster::controller
