// Options that count GPUs: the numbers of tasks and nodes that follow, and contradictions.
#pragma once

#include "cli/options/options_values.h"

namespace muster::cli {

Outcome check_gpus(JobOptions& o);

}  // namespace muster::cli
