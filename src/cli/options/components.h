// The components of a heterogeneous job or step as users write them: "-n1 : -n2 command".
#pragma once

#include <expected>
#include <span>
#include <string>
#include <vector>

#include "cli/options/environment.h"
#include "cli/options/options.h"

namespace muster::cli {

// The words of each component; an ordinary job has one component. In srun each component has a
// command of its own; in sbatch and salloc all have the last one's.
std::expected<std::vector<ParsedWords>, Refusal> parse_components(
    Client client, std::span<const std::string> words);

// What a component inherits from the one before it: all options except those about what it gets and
// where.
Outcome inherit(JobOptions& options, const JobOptions& previous);

// Sets a variable of one component, with its number and under both of Slurm's names:
// SLURM_NTASKS_HET_GROUP_1, SLURM_NTASKS_PACK_GROUP_1.
void set_group_variable(JobEnvironment& environment, std::string_view name, std::size_t component,
                        std::string_view value);
// Variables that follow from the options of each component.
void add_group_variables(JobEnvironment& environment, const std::vector<JobOptions>& components);

}  // namespace muster::cli
