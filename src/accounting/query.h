// The rows that sacct prints, in its order.
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

// The rows that a request selects. They are found once and then read in parts, because all rows of
// a large cluster would not fit into memory. A row that changes meanwhile is shown as it is when it
// is read.
class Listing {
 public:
  // `only_of`: never rows of other users, whatever the request says.
  static Result<Listing> make(AccountingReader& store, const wire::AccountingRequest& request,
                              Time now, std::optional<Uid> only_of = std::nullopt);
  // The next rows, about `bytes` of them; none at the end.
  Result<std::vector<AccountingRow>> next(AccountingReader& store, std::size_t bytes);

 private:
  explicit Listing(wire::AccountingRequest request) : request_(std::move(request)) {}

  wire::AccountingRequest request_;
  std::vector<std::int64_t> rows_;  // in printing order
  std::size_t next_ = 0;
};

// All rows at once. If the request gives no start or end, Slurm's defaults apply; "midnight" is in
// this process's time zone. The caller decides whose jobs a user sees by default (uids): without
// users and uids, everybody's. `only_of` as in Listing::make.
Result<std::vector<AccountingRow>> query(AccountingReader& store,
                                         const wire::AccountingRequest& request, Time now,
                                         std::optional<Uid> only_of = std::nullopt);

}  // namespace muster::accounting
