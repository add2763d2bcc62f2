// What an update of a job changes, found by comparing its record with what it is to be.
#pragma once

#include <optional>

#include "state/event_queue.h"

namespace muster {

// Nothing where they are the same. Of the record, an update may change what it asks for and what
// follows from that, no more.
std::optional<JobUpdated> job_update(const Job& before, const Job& after);

}  // namespace muster
