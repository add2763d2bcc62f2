// Tasks of an array as squeue and scontrol show them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/text/idset.h"

namespace muster::cli {

// "0-5,7", "0-15:3"; cut at the limit, if there is one.
std::string task_set_text(const IdSet& tasks, std::uint32_t running_limit, std::size_t limit);

}  // namespace muster::cli
