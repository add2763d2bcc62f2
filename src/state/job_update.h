// What an update of a job changes, found by comparing its record with what it is to be.
#pragma once

#include <optional>

#include "state/event_queue.h"

namespace muster {

// Empty if nothing differs. Only what JobUpdated can carry is compared.
std::optional<JobUpdated> job_update(const Job& before, const Job& after);

}  // namespace muster
