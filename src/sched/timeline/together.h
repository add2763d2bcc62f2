// together: places jobs that start at the same time or not at all, such as the components of a
// heterogeneous job, each on nodes of its own. A job by itself is the simplest such group.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/timeline/license_book.h"
#include "sched/timeline/shape.h"

namespace muster::sched {

struct Member {
  const Job* job = nullptr;
  const Shape* shape = nullptr;
  Minutes limit{};
};
using Members = std::vector<Member>;

// What they need of each license, all of them.
LicenseBook::Counts licenses_of(const Members& members);
LicenseBook::Span span_of(const Member& member, Time from);

struct JointSlot {
  Time at;
  std::vector<std::vector<NodeShare>> shares;  // parallel to the members
};

// Room for all of them at this time. The profile stays as it is, but counts the questions.
std::optional<JointSlot> place_together(const Cluster& cluster, const Members& members, Time at,
                                        Profile& profile);

// The first time not before `from` at which there is: the member that fits last decides. Nothing
// where none is known, or where the profile has been asked more often than `max_questions`.
std::optional<JointSlot> earliest_together(const Cluster& cluster, const Members& members,
                                           Time from, Profile& profile,
                                           std::uint64_t max_questions);

}  // namespace muster::sched
