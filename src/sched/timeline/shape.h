// Shape: all that placement needs to know about a job. Jobs with equal requests share one shape.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

#include "sched/gate/gate.h"
#include "sched/request/reason.h"
#include "sched/request/request.h"
#include "sched/timeline/profile.h"

namespace muster::sched {

struct Shape {
  ResourceRequest request;
  const NodeList* nodes = nullptr;  // candidates
  const Partition* partition = nullptr;
  const Reservation* reservation = nullptr;
  Time last_end = Time::max();       // when runs in the reservation must end
  Reason impossible = Reason::none;  // set if it can never be placed
};

// Hands out shapes: the same one to all jobs with equal requests, whatever their names and owners.
// Shapes stay at their addresses.
class Shapes {
 public:
  // users_matter: some node is, or may become, private to one user.
  Shapes(const Cluster& cluster, Time now, NodeIndex& index, bool users_matter);
  const Shape& shape_for(const Job& job, const StartTarget& target);

 private:
  struct Asked {  // a specification in a partition and a reservation
    const JobSpec* spec;
    StartTarget target;
    bool waits_for_switches;
    const Qos* exceeds = nullptr;  // its QOS, if that overrides bounds of the partition
    bool operator==(const Asked&) const = default;
  };
  struct AskedHash {
    std::size_t operator()(const Asked& asked) const;
  };

  bool waits_for_switches(const Job& job) const;
  const Shape& make_shape(const Asked& asked);
  const Shape& shared(Shape shape);
  const NodeList& candidates_of(const Shape& shape);

  const Cluster& cluster_;
  Time now_;
  bool users_matter_;
  std::vector<SwitchNodes> topology_;
  std::vector<std::uint32_t> leaves_;
  NodeIndex& index_;
  std::deque<Shape> shapes_;
  std::deque<NodeList> chosen_;  // for requests that choose their nodes
  std::unordered_map<Asked, const Shape*, AskedHash> by_spec_;
  std::unordered_multimap<std::size_t, const Shape*> by_content_;
};

// The window of a run with this limit. A run without a limit is planned as longer than any running
// job, so it never slips in before a waiting job.
Window window_of(const Shape& shape, Time from, Minutes limit);

// Places a run on free CPUs; or, if its partition shares CPUs, on those with the fewest holders.
std::optional<std::vector<NodeShare>> place_during(const Cluster& cluster, const Shape& shape,
                                                   const Window& window, Profile& profile);

}  // namespace muster::sched
