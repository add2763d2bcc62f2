// earliest: when a job that does not fit now will, and where.
#pragma once

#include <optional>
#include <vector>

#include "sched/shape.h"

namespace muster::sched {

struct Slot {
  Time at;
  std::vector<NodeShare> shares;
};

// The first time not before `from` at which a run of this length fits into the profile; nothing
// where none is known, or where the profile has been asked more often than `max_questions`.
std::optional<Slot> earliest(const Cluster& cluster, const Shape& shape, Minutes limit, Time from,
                             Profile& profile, std::uint64_t max_questions);

}  // namespace muster::sched
