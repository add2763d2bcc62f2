// slow_down: the error for a user who sends too many requests: try again after this time. Commands
// wait accordingly (cli/lib/controller.cc).
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace muster {

Error slow_down(Millis wait);
std::optional<Millis> wait_asked_by(const Error& error);  // unset = some other error

}  // namespace muster
