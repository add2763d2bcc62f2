// SQLite: a file in place of a server, for small sites and for tests.
#include <map>

#include "io/store/sqlite.h"
#include "slurmdbd/store/databases.h"

namespace muster::dbd {

namespace {

constexpr SqlDialect kSqlite{
    .bytes_type = "BLOB",
    .key_type = "BLOB",
    .numbered_key = "INTEGER PRIMARY KEY AUTOINCREMENT",
    .begin = "BEGIN IMMEDIATE",
    .for_update = "",
    .on_duplicate_key = false,
    .has_table =
        "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name = CAST(? AS TEXT)"};
constexpr int kCheckpointPages = 2000;

class Row final : public SqlRow {
 public:
  explicit Row(const io::Statement& statement) : statement_(statement) {}
  std::int64_t integer(std::size_t column) const override {
    return statement_.integer(static_cast<int>(column));
  }
  std::string_view bytes(std::size_t column) const override {
    return statement_.bytes(static_cast<int>(column));
  }

 private:
  const io::Statement& statement_;
};

class Sqlite final : public SqlConnection {
 public:
  explicit Sqlite(io::Database database) : database_(std::move(database)) {}

  const SqlDialect& dialect() const override { return kSqlite; }
  Result<void> run(std::string_view text, std::span<const SqlValue> values,
                   const OnRow& on_row) override;
  Result<std::int64_t> insert(std::string_view text, std::span<const SqlValue> values,
                              std::string_view) override {
    if (auto done = run(text, values, {}); !done) return std::unexpected(done.error());
    return database_.last_row();
  }
  Result<void> execute(const std::string& text) override {
    if (auto done = database_.execute(text); !done) return done;
    return database_.in_transaction() ? Result<void>{}
                                      : database_.checkpoint_beyond(kCheckpointPages);
  }
  bool answers() override { return true; }

 private:
  io::Database database_;
  std::map<std::string, io::Statement, std::less<>> statements_;
};

Result<void> Sqlite::run(std::string_view text, std::span<const SqlValue> values,
                         const OnRow& on_row) {
  auto known = statements_.find(text);
  if (known == statements_.end()) {
    auto made = database_.prepare(text);
    if (!made) return std::unexpected(made.error());
    if (statements_.size() >= kMostStatements) statements_.clear();
    known = statements_.emplace(text, std::move(*made)).first;
  }
  io::Statement& statement = known->second;
  const io::ResetLater reset(statement);
  for (std::size_t i = 0; i < values.size(); ++i)
    std::visit([&](auto value) { statement.bind(static_cast<int>(i + 1), value); }, values[i]);
  for (;;) {
    auto step = statement.step();
    if (!step) return std::unexpected(step.error());
    if (*step == io::Statement::Step::done) return {};
    if (!on_row) continue;
    if (auto ok = on_row(Row(statement)); !ok) return ok;
  }
}

}  // namespace

Result<std::unique_ptr<SqlConnection>> open_sqlite(const config::DbdConf& conf) {
  auto database = io::Database::open(conf.storage_place, {.cache_mib = 32});
  if (!database) return std::unexpected(database.error());
  return std::make_unique<Sqlite>(std::move(*database));
}

}  // namespace muster::dbd
