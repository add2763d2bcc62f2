// The names of a job's files: "%x-%5j.out" -> "train-00012.out".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "wire/step_setup.h"

namespace muster {

// %A %a %J %j %N %n %s %t %u %x %%, with zero padding of the numbers ("%5j"). A pattern with a
// backslash is taken literally, without its backslashes. Other letters stay as they are.
std::string expand_file_pattern(std::string_view pattern, const StepSetup& setup,
                                std::uint32_t rank);

// "slurm-%j.out", or "slurm-%A_%a.out" for tasks of arrays.
std::string_view default_output_pattern(const wire::StepLaunch& launch);

}  // namespace muster
