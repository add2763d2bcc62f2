// earliest: when a job that does not fit now will, and where.
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

// What attempt(time) gives at the first time at which it gives something. The times are tried one
// by one, further ahead in growing steps.
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

// The first time not before `from` at which a run of this length fits into the profile; nothing
// where none is known, or where the profile has been asked more often than `max_questions`.
std::optional<Slot> earliest(const Cluster& cluster, const Shape& shape, Minutes limit, Time from,
                             Profile& profile, std::uint64_t max_questions);

}  // namespace muster::sched
