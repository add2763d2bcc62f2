// What sacct prints, in its order.
#pragma once

#include <optional>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "state/accounting_store.h"
#include "wire/client_messages.h"

namespace muster::accounting {

// Where the request gives no start or end, the reference's defaults hold; "midnight" is this
// process's. Whose jobs a user sees by default is for the caller to say (uids): without users and
// uids, everybody's. With `only_of` no rows of others, whatever is asked.
Result<std::vector<AccountingRow>> query(AccountingStore& store,
                                         const wire::AccountingRequest& request, Time now,
                                         std::optional<Uid> only_of = std::nullopt);

}  // namespace muster::accounting
