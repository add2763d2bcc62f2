// roll_up: keeps usage by hour, day and month in the accounting store. Doing it again, or after a
// crash in between, gives the same rows.
#pragma once

#include <cstddef>
#include <vector>

#include "base/result.h"
#include "model/accounts/usage_row.h"
#include "state/accounting_store.h"

namespace muster::accounting {

// Makes usage of the next day known, as far as its hours are over. True if there is more to do.
Result<bool> roll_up(AccountingStore& store, Time now);

// What was used from `start` to `end`, which are full hours: from months where it has whole ones,
// then days, then hours.
Result<std::vector<UsageRow>> usage_between(AccountingStore& store, Time start, Time end);

}  // namespace muster::accounting
