// Distributes a number of tasks over the rooms of nodes.
#include "sched/place/task_counts.h"

#include <algorithm>

#include "base/saturating.h"

namespace muster::sched {

std::optional<std::vector<std::uint32_t>> first_nodes_most(const std::vector<TaskRoom>& nodes,
                                                           std::size_t needed,
                                                           std::uint64_t tasks) {
  needed = std::min(needed, nodes.size());
  std::uint64_t left = tasks, kept = 0;  // kept: for the needed nodes further behind
  for (std::size_t i = 0; i < needed; ++i) kept += nodes[i].kept;
  std::vector<std::uint32_t> rooms;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const TaskRoom& node = nodes[i];
    std::uint64_t floor = node.floor;
    if (i < needed) {
      kept -= node.kept;
      const std::uint64_t behind = needed - i - 1;
      if (left > behind)
        floor = std::max<std::uint64_t>(floor, std::min<std::uint64_t>(node.least, left - behind));
    }
    const std::uint64_t wanted = std::max(floor, left > kept ? left - kept : 0);
    rooms.push_back(static_cast<std::uint32_t>(std::min<std::uint64_t>(wanted, node.capacity)));
    left -= std::min<std::uint64_t>(left, rooms.back());
  }
  return in_turns(rooms, tasks);
}

std::optional<std::vector<std::uint32_t>> in_turns(const std::vector<std::uint32_t>& rooms,
                                                   std::uint64_t tasks) {
  auto held_by = [&](std::uint32_t turns) {
    std::uint64_t held = 0;
    for (std::uint32_t room : rooms) held += std::min(room, turns);
    return held;
  };
  if (rooms.empty() || tasks < rooms.size()) return std::nullopt;
  // The number of full turns; the first nodes get one task more.
  const std::uint32_t most = std::ranges::max(rooms);
  if (held_by(most) < tasks) return std::nullopt;
  const std::uint32_t turns =
      largest_that_fits(most, [&](std::uint32_t n) { return held_by(n) <= tasks; });
  std::uint64_t left = tasks - held_by(turns);
  std::vector<std::uint32_t> counts;
  for (std::uint32_t room : rooms) {
    if (room == 0) return std::nullopt;
    const bool once_more = room > turns && left > 0;
    if (once_more) --left;
    counts.push_back(std::min(room, turns) + (once_more ? 1 : 0));
  }
  return counts;
}

std::optional<std::vector<std::uint32_t>> filled_up(std::vector<std::uint32_t> rooms,
                                                    std::uint64_t tasks) {
  std::uint64_t behind = rooms.size();
  if (tasks < behind) return std::nullopt;
  for (std::uint32_t& room : rooms) {
    room = static_cast<std::uint32_t>(std::min<std::uint64_t>(room, tasks - --behind));
    tasks -= room;
  }
  if (tasks > 0) return std::nullopt;
  return rooms;
}

}  // namespace muster::sched
