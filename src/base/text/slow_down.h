// The answer to a user who asks for more than his share: try again after this time. Commands obey
// it by waiting (cli/lib/controller.cc).
#pragma once

#include <optional>

#include "base/result.h"
#include "base/time.h"

namespace muster {

Error slow_down(Millis wait);
std::optional<Millis> wait_asked_by(const Error& error);  // none = it is another error

}  // namespace muster
