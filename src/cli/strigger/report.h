// The list that strigger --get prints.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "cli/lib/name_lookup.h"
#include "model/trigger.h"

namespace muster::cli {

// "job", "node", "slurmctld", "database"
std::string_view resource_of(const Trigger& trigger);

// Nothing, not even a header, where there is no trigger.
std::string triggers_text(std::span<const Trigger> triggers, const NameLookup& names, bool header);

}  // namespace muster::cli
