// How many tasks each of the nodes gets that were chosen for a request.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace muster::sched {

struct TaskRoom {
  std::uint32_t capacity = 0;  // tasks
  std::uint32_t kept = 1;      // tasks that fit in what is kept for one: a core
  std::uint32_t least = 1;     // tasks that fit in what one takes: CPUs come by the core, or singly
  std::uint32_t floor = 1;     // tasks for which there are CPUs anyway (--mincpus)
};

// The first nodes take most, but leave the other needed ones what is `kept` for these; each of the
// first `needed` nodes has its `least`. A node beyond them
// takes only what its floor has room for, or what the others had no room for.
std::optional<std::vector<std::uint32_t>> first_nodes_most(const std::vector<TaskRoom>& nodes,
                                                           std::size_t needed, std::uint64_t tasks);

// One task for each node in turn, as far as its room goes. Nothing where there is too little room,
// or where a node would have none.
std::optional<std::vector<std::uint32_t>> in_turns(const std::vector<std::uint32_t>& rooms,
                                                   std::uint64_t tasks);

// Node after node filled up, but for a task that each of the later ones has at least.
std::optional<std::vector<std::uint32_t>> filled_up(std::vector<std::uint32_t> rooms,
                                                    std::uint64_t tasks);

}  // namespace muster::sched
