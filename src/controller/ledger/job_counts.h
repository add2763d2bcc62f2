// JobCounter: how many jobs came, started and ended, and how many wait and run now. It follows the
// events. Each task of an array is a job.
#pragma once

#include "model/cluster.h"
#include "state/event.h"
#include "wire/statistics.h"

namespace muster::controller {

class JobCounter {
 public:
  void make_anew(const Cluster& cluster);  // what waits and runs
  // Around an event: before and after it is applied.
  void before(const Cluster& cluster, const Event& event);
  void after(const Cluster& cluster, const Event& event);
  void reset();  // what came, started and ended

  const wire::JobCounts& counts() const { return counts_; }

 private:
  wire::JobCounts counts_;
};

}  // namespace muster::controller
