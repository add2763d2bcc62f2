// Which records a user's job ids mean. A waiting task that is named by itself leaves its array's
// record and gets one of its own.
#pragma once

#include <vector>

#include "controller/ledger/ledger.h"
#include "wire/client_messages.h"

namespace muster::controller {

// Splits off the waiting tasks that the reference names.
Result<std::vector<JobId>> resolve(Ledger& ledger, Caller caller, const wire::JobRef& ref);
JobId split_task(Ledger& ledger, JobId array, std::uint32_t task);
// Whether a command that runs in job `asking` runs in this one as well.
bool runs_in(const Job& job, JobId asking);

}  // namespace muster::controller
