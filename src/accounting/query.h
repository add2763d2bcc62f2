// What sacct prints, in its order.
#pragma once

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "state/accounting_store.h"
#include "wire/client_messages.h"

namespace muster::accounting {

// What a request asks for, found once and then read a part at a time: all rows of a large cluster
// would not fit into memory. A row that changes meanwhile is shown as it is when it is read.
class Listing {
 public:
  // With `only_of` no rows of others, whatever is asked.
  static Result<Listing> make(AccountingStore& store, const wire::AccountingRequest& request,
                              Time now, std::optional<Uid> only_of = std::nullopt);
  // The next rows, about so many bytes of them; none = that was all.
  Result<std::vector<AccountingRow>> next(AccountingStore& store, std::size_t bytes);

 private:
  explicit Listing(wire::AccountingRequest request) : request_(std::move(request)) {}

  wire::AccountingRequest request_;
  std::vector<std::int64_t> rows_;  // in printing order
  std::size_t next_ = 0;
};

// All of it at once. Where the request gives no start or end, the reference's defaults hold;
// "midnight" is this process's. Whose jobs a user sees by default is for the caller to say (uids):
// without users and uids, everybody's. With `only_of` no rows of others, whatever is asked.
Result<std::vector<AccountingRow>> query(AccountingStore& store,
                                         const wire::AccountingRequest& request, Time now,
                                         std::optional<Uid> only_of = std::nullopt);

}  // namespace muster::accounting
