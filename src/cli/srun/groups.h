// Which components of a heterogeneous job an srun runs in: "--het-group=0,1 a", "a : b".
#pragma once

#include <cstdint>
#include <expected>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "cli/options/options.h"

namespace muster::cli {

using Lookup = std::function<const char*(const char*)>;

// SLURM_HET_SIZE of the job that srun was called in; nothing in another job or in none.
std::optional<std::uint32_t> het_size(const Lookup& environment);

// The variables as they stand for one component: what the job has under its number, and else what
// no component has.
Lookup in_group(const Lookup& environment, std::uint32_t group, std::uint32_t size);

// One part of the step: the words of one command, in one component.
struct GroupPart {
  std::size_t words = 0;  // which of the commands
  std::uint32_t group = 0;
};
// In the order of the components. Without --het-group each command has the next component.
std::expected<std::vector<GroupPart>, Refusal> group_parts(const std::vector<ParsedWords>& commands,
                                                           std::uint32_t size);

}  // namespace muster::cli
