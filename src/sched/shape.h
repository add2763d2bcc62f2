// Shape: what all jobs of one specification and partition have in common when they are placed.
#pragma once

#include <map>
#include <optional>
#include <tuple>
#include <utility>
#include <vector>

#include "sched/gate.h"
#include "sched/profile.h"
#include "sched/reason.h"
#include "sched/request.h"

namespace muster::sched {

struct Shape {
  Request request;
  std::vector<NodeId> nodes;  // candidates
  const Partition* partition = nullptr;
  const Reservation* reservation = nullptr;
  Time last_end = Time::max();       // of a run in that reservation
  Reason impossible = Reason::none;  // whatever is free
};

class Shapes {
 public:
  Shapes(const Cluster& cluster, Time now) : cluster_(cluster), now_(now) {}
  const Shape& of(const Job& job, const Venue& venue);

 private:
  bool waits_for_switches(const Job& job) const;

  const Cluster& cluster_;
  Time now_;
  std::map<std::tuple<const JobSpec*, const Partition*, const Reservation*, bool>, Shape> known_;
};

// A run of this length from then on. One without a limit is planned as longer than anything that
// runs: it never slips in before a job that waits.
Window window_of(const Shape& shape, Time from, Minutes limit);

// On CPUs that nobody holds, or else, where jobs share them, on those with the fewest holders.
std::optional<std::vector<NodeShare>> place_during(const Cluster& cluster, const Shape& shape,
                                                   const Window& window, Profile& profile);

}  // namespace muster::sched
