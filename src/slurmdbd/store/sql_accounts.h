// SqlAccounts: the rows of a site in slurmdbd's database. Thread-safe.
//
// A change is one transaction that first compares the site's version with the one that it is based
// on. So a change whose fate is not known, because the server was lost while it was committed, is
// found out before the next one (`is_behind`).
#pragma once

#include <atomic>

#include "slurmdbd/store/sql.h"
#include "state/accounts_store.h"

namespace muster::dbd {

class SqlAccounts final : public AccountsStore {
 public:
  explicit SqlAccounts(SqlDatabase& database) : database_(database) {}

  Result<Content> load() override;
  Result<void> commit(const Change& change) override;
  Result<void> transactions(Time start, Time end,
                            const std::function<bool(TransactionRow)>& visit) override;

  // Whether the database may have changes that load() has not seen yet.
  bool is_behind() const { return is_behind_; }

  // What this cluster's controller has to forget, the oldest first, and that it has done so.
  Result<std::vector<ForgottenUsage>> resets_of(const Text& cluster);
  Result<void> drop_resets(const Text& cluster, std::uint64_t up_to_version);

 private:
  Result<void> write(SqlConnection& connection, const Change& change);
  Result<void> write_resets(SqlConnection& connection, const Change& change);

  SqlDatabase& database_;
  std::atomic<bool> is_behind_ = false;
};

}  // namespace muster::dbd
