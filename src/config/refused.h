// What a site may rely on and does not get here yet: such a setting stops the daemons instead of
// being passed over, so that nobody believes to be protected who is not.
#pragma once

#include "base/result.h"
#include "config/keys/keys.h"
#include "config/keys/source.h"

namespace muster::config {

// The error names file, line and what to do.
Result<void> check_refused(const Key& key, const Location& at, const Setting& setting);

}  // namespace muster::config
