// SqliteAccounts: the rows of a site, in StateSaveLocation/accounts.db; and what slurmdbd has told
// this controller of them, in slurmdbd_accounts.db.
//
//   meta          one row: the format's version and that of the site
//   rows          each row of the site by its key, encoded
//   transactions  who changed what
//
// A change is one synced transaction. Used by one thread.
#pragma once

#include <memory>
#include <string>

#include "io/store/sqlite.h"
#include "state/accounts_store.h"

namespace muster::io {

class SqliteAccounts final : public AccountsStore {
 public:
  // `path` is the file; its directory must exist.
  static Result<std::unique_ptr<SqliteAccounts>> open(const std::string& path,
                                                      const Database::Options& options = {});

  Result<Content> load() override;
  Result<void> commit(const Change& change) override;
  // The same, and all other rows are gone.
  Result<void> replace(const Change& change);
  Result<void> transactions(Time start, Time end,
                            const std::function<bool(TransactionRow)>& visit) override;

 private:
  explicit SqliteAccounts(Database database) : database_(std::move(database)) {}
  Result<void> prepare_schema();
  Result<void> prepare_statements();
  Result<void> write(const Change& change);
  Result<void> write_in_transaction(const Change& change, bool replaces);

  Database database_;
  Statement put_row_, add_transaction_, set_version_, read_rows_, read_transactions_;
};

}  // namespace muster::io
