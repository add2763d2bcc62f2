// The components of a heterogeneous job or step as users write them: "-n1 : -n2 command".
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "cli/options/environment.h"
#include "cli/options/options.h"

namespace muster::cli {

// The words of each component; a job of one kind has one. A component of srun has a command of its
// own, those of sbatch and salloc share the last one's.
std::expected<std::vector<ParsedWords>, Refusal> parse_components(
    Client client, std::span<const std::string> words);

// What a component inherits from the one before it: all options except those that say what it gets
// and where.
Outcome inherit(JobOptions& options, const JobOptions& previous);

// A value that belongs to one component, under its number and both names of the thing:
// SLURM_NTASKS_HET_GROUP_1, SLURM_NTASKS_PACK_GROUP_1.
void set_group_variable(JobEnvironment& environment, std::string_view name, std::size_t component,
                        std::string_view value);
// What the options of each component set.
void add_group_variables(JobEnvironment& environment, const std::vector<JobOptions>& components);

}  // namespace muster::cli
