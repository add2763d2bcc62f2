// The secret that the keys of steps are made from (StateSaveLocation/secret): whoever knows it can
// attach to every step.
#pragma once

#include <string>

#include "base/result.h"

namespace muster::daemon {

std::string secret_path(const std::string& state_directory);

// Made where there is none. One that others could have read or changed, or that is not whole, is an
// error.
Result<std::string> load_secret(const std::string& state_directory);

// Old keys fit no step any more (slurmctld -c).
Result<void> forget_secret(const std::string& state_directory);

}  // namespace muster::daemon
