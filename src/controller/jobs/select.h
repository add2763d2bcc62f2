// Which records a user's job ids mean. A waiting task that is named leaves its array's record and
// gets a record of its own.
#pragma once

#include <vector>

#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

// The records of the reference. Splits off the waiting tasks that it names.
Result<std::vector<JobId>> resolve(Ledger& ledger, Caller caller, const wire::JobRef& ref);
JobId split_task(Ledger& ledger, JobId array, std::uint32_t task);
// Whether a command that runs in job `asking` runs in this job.
bool runs_in(const Job& job, JobId asking);

}  // namespace muster::controller
