// Makes one line for each command of a step.
#include "cli/tables/step_commands.h"

#include <algorithm>

#include <fmt/format.h>

namespace muster::cli {

std::vector<CommandOfStep> commands_of(const Step& step) {
  std::vector<CommandOfStep> all;
  std::size_t first_node = 0;
  for (const StepCommand& command : step.commands) {
    Step part = step;
    part.name = command.name;
    part.num_tasks = command.tasks;
    const std::size_t end = std::min(first_node + command.nodes, step.nodes.size());
    part.nodes.assign(step.nodes.begin() + static_cast<std::ptrdiff_t>(first_node),
                      step.nodes.begin() + static_cast<std::ptrdiff_t>(end));
    first_node = end;
    all.push_back({std::move(part), fmt::format("+{}", all.size())});
  }
  return all;
}

}  // namespace muster::cli
