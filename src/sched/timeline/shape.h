// Shape: what jobs that ask for the same have in common when they are placed.
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
  Request request;
  const NodeList* nodes = nullptr;  // candidates
  const Partition* partition = nullptr;
  const Reservation* reservation = nullptr;
  Time last_end = Time::max();       // of a run in that reservation
  Reason impossible = Reason::none;  // whatever is free
};

// Hands out shapes: the same one to all jobs that ask for the same, whoever they are and however
// they are called. They stay where they are.
class Shapes {
 public:
  // users_matter: some node is, or may become, one user's alone.
  Shapes(const Cluster& cluster, Time now, NodeIndex& index, bool users_matter);
  const Shape& of(const Job& job, const Venue& venue);

 private:
  struct Asked {  // a specification in a partition and a reservation
    const JobSpec* spec;
    Venue venue;
    bool waits_for_switches;
    bool operator==(const Asked&) const = default;
  };
  struct AskedHash {
    std::size_t operator()(const Asked& asked) const;
  };

  bool waits_for_switches(const Job& job) const;
  const Shape& shape_for(const Asked& asked);
  const Shape& shared(Shape shape);
  const NodeList& candidates_of(const Shape& shape);

  const Cluster& cluster_;
  Time now_;
  bool users_matter_;
  std::vector<SwitchNodes> topology_;
  std::vector<std::uint32_t> leaves_;
  NodeIndex& index_;
  std::deque<Shape> shapes_;
  std::deque<NodeList> chosen_;  // of those who do not take all nodes of a partition
  std::unordered_map<Asked, const Shape*, AskedHash> by_spec_;
  std::unordered_multimap<std::size_t, const Shape*> by_content_;
};

// A run of this length from then on. One without a limit is planned as longer than anything that
// runs: it never slips in before a job that waits.
Window window_of(const Shape& shape, Time from, Minutes limit);

// On CPUs that nobody holds, or else, where jobs share them, on those with the fewest holders.
std::optional<std::vector<NodeShare>> place_during(const Cluster& cluster, const Shape& shape,
                                                   const Window& window, Profile& profile);

}  // namespace muster::sched
