// --gres=help
#pragma once

#include <string_view>

#include "cli/lib/controller.h"

namespace muster::cli {

// Prints the generic resources that the cluster has; the exit code.
int list_gres(std::string_view program, Controller& controller);

}  // namespace muster::cli
