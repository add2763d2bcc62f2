// See sqlite_accounts.h.
#include "io/store/sqlite_accounts.h"

#include <limits>

#include <fmt/format.h>

#include "base/codec/codec.h"

namespace muster::io {

namespace {

constexpr std::int64_t kFormatOfAccounts = 1;
constexpr int kCheckpointPagesOfAccounts = 1000;

constexpr const char* kSchemaOfAccounts = R"(
  CREATE TABLE meta(format INTEGER NOT NULL, version INTEGER NOT NULL);
  CREATE TABLE rows(key BLOB PRIMARY KEY, row BLOB NOT NULL) WITHOUT ROWID;
  CREATE TABLE transactions(id INTEGER PRIMARY KEY, at_ms INTEGER NOT NULL, row BLOB NOT NULL);
  CREATE INDEX transactions_by_time ON transactions(at_ms);
  INSERT INTO meta VALUES (1, 0);
)";

std::int64_t milliseconds(Time t) { return t.time_since_epoch().count(); }

}  // namespace

Result<std::unique_ptr<SqliteAccounts>> SqliteAccounts::open(const std::string& path,
                                                             const Database::Options& options) {
  auto database = Database::open(path, options);
  if (!database) return std::unexpected(database.error());
  std::unique_ptr<SqliteAccounts> store(new SqliteAccounts(*std::move(database)));
  auto ready = store->prepare_schema();
  if (ready) ready = store->prepare_statements();
  if (!ready) return std::unexpected(ready.error());
  return store;
}

Result<void> SqliteAccounts::prepare_schema() {
  auto tables = database_.query_integer("SELECT count(*) FROM sqlite_master");
  if (!tables) return std::unexpected(tables.error());
  if (*tables == 0) {
    auto transaction = Transaction::begin(database_);
    if (!transaction) return std::unexpected(transaction.error());
    if (auto created = database_.execute(kSchemaOfAccounts); !created) return created;
    return transaction->commit();
  }
  auto format = database_.query_integer("SELECT format FROM meta");
  if (!format) return std::unexpected(format.error());
  if (*format > kFormatOfAccounts)
    return fail(fmt::format(
        "{}: written by a newer version (format {}, this program knows {}); it was left as it is",
        database_.path(), *format, kFormatOfAccounts));
  return database_.check();
}

Result<void> SqliteAccounts::prepare_statements() {
  const std::pair<Statement*, std::string_view> all[] = {
      {&put_row_, "INSERT OR REPLACE INTO rows(key, row) VALUES (?1, ?2)"},
      {&add_transaction_, "INSERT INTO transactions(at_ms, row) VALUES (?1, ?2)"},
      {&set_version_, "UPDATE meta SET version = ?1"},
      {&read_rows_, "SELECT row FROM rows"},
      {&read_transactions_,
       "SELECT id, row FROM transactions WHERE at_ms >= ?1 AND at_ms <= ?2 ORDER BY id"},
  };
  for (auto [statement, sql] : all) {
    auto prepared = database_.prepare(sql);
    if (!prepared) return std::unexpected(prepared.error());
    *statement = *std::move(prepared);
  }
  return {};
}

Result<AccountsStore::Content> SqliteAccounts::load() {
  Content content;
  auto version = database_.query_integer("SELECT version FROM meta");
  if (!version) return std::unexpected(version.error());
  content.version = static_cast<std::uint64_t>(*version);
  ResetLater reset(read_rows_);
  for (;;) {
    auto step = read_rows_.step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return content;
    auto entry = decode<SiteRowEntry>(read_rows_.bytes(0));
    if (!entry) return fail(database_.path() + ": a row is damaged: " + entry.error().text());
    content.rows.push_back(std::move(entry->row));
  }
}

Result<void> SqliteAccounts::commit(const Change& change) {
  return write_in_transaction(change, false);
}
Result<void> SqliteAccounts::replace(const Change& change) {
  return write_in_transaction(change, true);
}

Result<void> SqliteAccounts::write_in_transaction(const Change& change, bool replaces) {
  if (auto ok = database_.check_place(); !ok) return ok;
  auto transaction = Transaction::begin(database_);
  if (!transaction) return std::unexpected(transaction.error());
  auto written = replaces ? database_.execute("DELETE FROM rows") : Result<void>{};
  if (written) written = write(change);
  if (written) written = transaction->commit();
  if (!written) {
    const bool full = database_.last_failure_was_full();  // before the rollback replaces it
    return fail(full ? ErrorCode::state_storage_full : ErrorCode::failure, written.error().detail);
  }
  return database_.checkpoint_beyond(kCheckpointPagesOfAccounts);
}

Result<void> SqliteAccounts::write(const Change& change) {
  for (const SiteRow& row : change.rows) {
    const std::string key = key_of(row), bytes = encode(SiteRowEntry{row});
    if (auto ok = put_row_.bind(1, key).bind(2, bytes).run(); !ok) return ok;
  }
  for (const TransactionRow& row : change.transactions) {
    const std::string bytes = encode(row);
    if (auto ok = add_transaction_.bind(1, milliseconds(row.at)).bind(2, bytes).run(); !ok)
      return ok;
  }
  return set_version_.bind(1, static_cast<std::int64_t>(change.version)).run();
}

Result<void> SqliteAccounts::transactions(Time start, Time end,
                                          const std::function<bool(TransactionRow)>& visit) {
  ResetLater reset(read_transactions_);
  const auto last = is_set(end) ? milliseconds(end) : std::numeric_limits<std::int64_t>::max();
  read_transactions_.bind(1, milliseconds(start)).bind(2, last);
  for (;;) {
    auto step = read_transactions_.step();
    if (!step) return std::unexpected(step.error());
    if (*step == Statement::Step::done) return {};
    auto row = decode<TransactionRow>(read_transactions_.bytes(1));
    if (!row) return fail(database_.path() + ": a row is damaged: " + row.error().text());
    row->id = static_cast<std::uint64_t>(read_transactions_.integer(0));
    if (!visit(std::move(*row))) return {};
  }
}

}  // namespace muster::io
