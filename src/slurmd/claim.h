// slurmd -F: asks the controller which node in state FUTURE this machine becomes, and waits until a
// controller answers.
#pragma once

#include <string>

#include "base/result.h"
#include "io/hardware/hardware.h"

namespace muster {

Result<std::string> claim_node(const std::string& config_path, const io::Hardware& hardware,
                               const std::string& feature);

}  // namespace muster
