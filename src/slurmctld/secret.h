// secret: the file StateSaveLocation/secret, from which the keys of steps are made. Anyone who
// knows it can attach to any step.
#pragma once

#include <string>

#include "base/containers/secret.h"
#include "base/result.h"

namespace muster::daemon {

std::string secret_path(const std::string& state_directory);

// Makes the file if there is none. Fails if it is incomplete, or if others could have read or
// changed it.
Result<Secret> load_secret(const std::string& state_directory);

// Removes the file (slurmctld -c). Old keys then fit no new step.
Result<void> forget_secret(const std::string& state_directory);

}  // namespace muster::daemon
