// In which components of a heterogeneous job srun runs: "--het-group=0,1 a", "a : b".
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

// SLURM_HET_SIZE, if srun was called inside of that job.
std::optional<std::uint32_t> het_size(const Lookup& environment);

// The variables for one component: those with the component's number, and those without any number.
Lookup in_group(const Lookup& environment, std::uint32_t group, std::uint32_t size);

// A part of the step: one command in one component.
struct GroupPart {
  std::size_t words = 0;  // index of the command
  std::uint32_t group = 0;
};
// In the order of the components. Without --het-group each command gets the next component.
std::expected<std::vector<GroupPart>, Refusal> group_parts(const std::vector<ParsedWords>& commands,
                                                           std::uint32_t size);

}  // namespace muster::cli
