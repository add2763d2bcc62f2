// --gres=help
#pragma once

#include <string_view>

#include "cli/lib/controller.h"

namespace muster::cli {

// Prints the generic resources of the cluster. Returns the exit code.
int list_gres(std::string_view program, Controller& controller);

}  // namespace muster::cli
