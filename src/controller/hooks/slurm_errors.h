// slurm_error_text: the text of a number that a submit script returns.
#pragma once

#include <cstdint>
#include <string>

namespace muster::controller {

std::string slurm_error_text(std::int32_t number);

}  // namespace muster::controller
