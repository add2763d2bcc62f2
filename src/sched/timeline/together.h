// together: places a group of jobs that start at the same time or not at all, such as the
// components of a heterogeneous job. Each gets nodes of its own. Any other job is a group of one.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sched/timeline/license_book.h"
#include "sched/timeline/shape.h"

namespace muster::sched {

struct GroupMember {
  const Job* job = nullptr;
  const Shape* shape = nullptr;
  Minutes limit{};
};
using JobGroup = std::vector<GroupMember>;

// The licenses that the whole group needs.
LicenseBook::Counts licenses_of(const JobGroup& group);
LicenseBook::Span span_of(const GroupMember& member, Time from);

struct GroupSlot {
  Time at;
  std::vector<std::vector<NodeShare>> shares;  // parallel to the group
};

// Places the whole group at this time. The profile does not change, except for the count of probes.
std::optional<GroupSlot> place_together(const Cluster& cluster, const JobGroup& group, Time at,
                                        Profile& profile);

// The first time not before `from` at which the whole group fits. Unset if there is none, or if the
// profile's probes have reached `max_probes`.
std::optional<GroupSlot> earliest_together(const Cluster& cluster, const JobGroup& group, Time from,
                                           Profile& profile, std::uint64_t max_probes);

}  // namespace muster::sched
