// earliest: finds when and where a job fits that does not fit now.
#pragma once

#include <algorithm>
#include <optional>
#include <vector>

#include "sched/timeline/shape.h"

namespace muster::sched {

struct Slot {
  Time at;
  std::vector<NodeShare> shares;
};

// The times after this one at which something changes on the shape's nodes, ascending.
std::vector<Time> changes_after(const Shape& shape, Time first, Profile& profile);

// Calls attempt(time) for these times until it succeeds, and returns its result. The first times
// are tried one by one, later ones in growing steps.
template <class Attempt>
auto first_success(const std::vector<Time>& times, Attempt&& attempt) -> decltype(attempt(Time{})) {
  constexpr std::size_t kOneByOne = 32;
  std::size_t step = 1;
  for (std::size_t i = 0; i < times.size();) {
    if (auto success = attempt(times[i])) return success;
    if (i + 1 == times.size()) break;
    if (i + 1 >= kOneByOne) step *= 2;
    i = std::min(i + step, times.size() - 1);
  }
  return std::nullopt;
}

// The first time not before `from` at which a run of this length fits into the profile. Unset if
// there is none, or if the profile's probes have reached `max_probes`.
std::optional<Slot> earliest(const Cluster& cluster, const Shape& shape, Minutes limit, Time from,
                             Profile& profile, std::uint64_t max_probes);

}  // namespace muster::sched
