// AccountsStore: where the rows of a site live. A change is durable when commit() returns.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "base/result.h"
#include "model/accounts/accounts_news.h"
#include "model/accounts/site_rows.h"

namespace muster {

class AccountsStore {
 public:
  virtual ~AccountsStore() = default;

  struct Content {
    std::uint64_t version = 0;  // of the last change
    std::vector<SiteRow> rows;
  };
  virtual Result<Content> load() = 0;

  // All of it or nothing. A row replaces the one with the same key.
  // ErrorCode::state_storage_full: nothing was written, try again.
  struct Change {
    std::uint64_t version = 0;
    std::vector<SiteRow> rows;
    std::vector<TransactionRow> transactions;  // their ids are the store's to give
    std::vector<ForgottenUsage> resets;        // kept where controllers may hear of them late
  };
  virtual Result<void> commit(const Change& change) = 0;

  // Visits those between the two times, the oldest first, until `visit` says false.
  virtual Result<void> transactions(Time start, Time end,
                                    const std::function<bool(TransactionRow)>& visit) = 0;
};

}  // namespace muster
