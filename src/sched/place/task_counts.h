// task_counts: how many tasks each of the chosen nodes gets.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::sched {

struct TaskRoom {
  std::uint32_t capacity = 0;  // tasks
  std::uint32_t kept = 1;      // tasks that fit in the core that is kept for one task
  std::uint32_t least = 1;     // tasks that fit in the CPUs that one task takes
  std::uint32_t floor = 1;     // tasks for which the node has CPUs anyway (--mincpus)
};

// The first nodes take most tasks, but leave `kept` tasks for each other needed node. Each of the
// first `needed` nodes has at least `least` tasks. Nodes beyond these take up to `floor` tasks, or
// what the others have no room for.
std::optional<std::vector<std::uint32_t>> first_nodes_most(const std::vector<TaskRoom>& nodes,
                                                           std::size_t needed, std::uint64_t tasks);

// Gives each node one task in turn while it has room. Unset if there is too little room in all, or
// if a node would have no task.
std::optional<std::vector<std::uint32_t>> in_turns(const std::vector<std::uint32_t>& rooms,
                                                   std::uint64_t tasks);

// Fills one node after the other, but leaves at least one task for each later node.
std::optional<std::vector<std::uint32_t>> filled_up(std::vector<std::uint32_t> rooms,
                                                    std::uint64_t tasks);

}  // namespace muster::sched
